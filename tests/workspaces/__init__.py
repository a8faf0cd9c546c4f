"""Tests of workspaces, through the service, on both engines."""
