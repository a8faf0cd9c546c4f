"""Inboxes, through their verbs, on both engines."""
