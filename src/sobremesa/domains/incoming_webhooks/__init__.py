"""Incoming webhooks: addresses at which other products post messages to a room.

`rooms` has what each kind of room allows, `formats` turns the bodies of other products into text.
"""
