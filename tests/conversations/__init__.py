"""Conversations, through the services, on both engines."""
