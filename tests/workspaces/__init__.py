"""Tests of workspaces, through their verbs, on both engines."""
