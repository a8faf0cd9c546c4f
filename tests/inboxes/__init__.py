"""Tests of inboxes, through the service, on both engines."""
