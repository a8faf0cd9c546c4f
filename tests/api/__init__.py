"""The whole API over real HTTP, as clients meet it, on both engines.

running.py   a server as its own process: `sobremesa serve`, on a free port of this machine
calling.py   a caller of the API: a user, a server key, or an anonymous client
"""
