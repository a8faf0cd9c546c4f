"""The client: over HTTP against a real server, its gateway against a scripted one, and then a real one.

proxy.py      a proxy in front of a real server that loses responses
tcp_proxy.py  a proxy that cuts connections
timing.py     time that a test moves by hand
scripted.py   a gateway that follows a script
payloads.py   snapshots and events
"""
