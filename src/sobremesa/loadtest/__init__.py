"""The load test: what a server does under load, measured from outside, by clients that cost as little as they can.

- `connection`: a WebSocket client that counts events, and hands everything else on
- `gateway`: what such a client says to Sobremesa
- `scenarios`: sending, reading, broadcasting, waiting; for whoever speaks WebSocket
- `server`: a server of its own on a temporary store, on another core than the client
- `stage`: people and rooms, at a server of its own or somebody else's
- `counting`: how fast the client counts by itself, which bounds everything that it can see
- `run`: all of it, one after the other; `report` shows it beside what others did (`peers`)
"""
