"""Tests of migrations: with old rows of before workspaces, and with tables that others made."""
