"""Bots, through the service, on both engines."""
