"""The client: against a real server.

between.py     stands between a client and a real server, and loses answers
hourglass.py   time that a test turns by hand
"""
