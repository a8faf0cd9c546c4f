"""Live events: delivers every committed change to the connected clients that may see it.

- `events`: what is published: an event with its type, payload and topics, and the audience changes it causes
- `translation`: maps changed rows to events; each domain declares its own in its `events.py`
- `asyncapi`: the event catalog as an AsyncAPI document
- `feed`: the ordered stream of events; `log_feed` reads the embedded change log, `stream_feed` DynamoDB Streams
  (`checkpoints` finds positions again), `redis_feed` the stream in Redis that `relay` fills; `fast_path` publishes
  new messages before any of them
- `hub`: delivers events to subscribers (`subscriber_index`), and replays missed ones (`replay`, `recent_events`)
- `frames`, `wire`: what goes over a socket, and the one file that knows how the server writes it
- `gateway`, `identify`, `socket`: the protocol with one client
- `ephemeral`, `typing`, `presence`: events for connected clients only, which are not stored
"""
