"""The client: over HTTP against a real server, its gateway against one that follows a script, and then a real one.

between.py     stands between a client and a real server, and loses answers
hourglass.py   time that a test turns by hand
scripted.py    a gateway that does what a test tells it
"""
