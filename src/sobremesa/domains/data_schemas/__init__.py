"""JSON schemas of a tenant for the custom data of users, rooms and messages."""
