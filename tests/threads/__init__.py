"""Threads, through their services, on both engines."""
