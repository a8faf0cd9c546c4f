"""Records, on SQLite and on PostgreSQL, through the service; the tabs are rows of a real table."""
