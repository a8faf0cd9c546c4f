"""Incoming webhooks: how bodies of other products are shown, and posting by them on both engines."""
