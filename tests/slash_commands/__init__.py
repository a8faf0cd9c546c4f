"""Slash commands, through the service, on both engines."""
