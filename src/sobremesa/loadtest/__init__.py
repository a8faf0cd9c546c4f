"""The load test: measures a server from outside, with clients that use as little processor time as possible.

- `connection`: a WebSocket client that counts events and passes on everything else
- `gateway`: the protocol of Sobremesa's gateway
- `scenarios`: sending, reading, broadcasting and latency, for any WebSocket server
- `server`: starts a server with a temporary store, on another core than the client
- `stage`: creates users and rooms on the server
- `counting`: how fast the client can count, the upper bound of every result
- `run`: runs everything; `report` compares the results with other systems (`peers`)
"""
