"""Live: what is written is told, to everybody whom it concerns, the moment it is written.

- `events`: what an event is, and the event of one: what is told, to which topics, and whom it lets in or out
- `translation`: from changes of rows to events_of; each domain declares its own in its `events.py`
- `asyncapi`: all events as a document for programs
- `feed`: events_of with their places, one after the other; `log_feed` takes them from the embedded change log,
  `stream_feed` from DynamoDB's stream (`trail` finds places again), `redis_feed` from the stream in Redis that `relay`
  fills; `just_said` tells new messages before any of them does
- `hub`: who listens to which topics; hands every event to those subscribers, and again to whoever missed some
- `frames`, `wire`: what goes over a socket, and the one file that knows how the server writes it
- `gateway`, `socket`: the conversation with one client
- `ephemeral`, `typing`, `presence`: what is told to those who listen now, and kept nowhere
"""
