"""Live events: delivers every committed change to the connected clients that may see it.

- `events`: what is published: an event with its type, payload and topics, and the audience changes it causes
- `translation`: maps changed rows to events; each domain declares its own in its `events.py`
- `asyncapi`: the event catalog as an AsyncAPI document
- `feed`: the ordered stream of events; `log_feed` reads the embedded change log, `stream_feed` DynamoDB Streams
  (`checkpoints` finds positions again); `fast_path` publishes new messages before either of them
- `topic_feed`: the feed of several nodes, with a stream for each topic in Redis (`topic_streams`): `relay` and
  `topic_writer` fill them by `topic_publisher`, `topic_receiver` receives the topics that this node needs
  (`topic_links`), `topic_history` and `topic_states` read what is kept of them, and `topic_messages` are not kept
- `look_back`: what a new member may have missed; `ahead`: whose clients have received more than their node
- `hub`: delivers events to subscribers (`subscriber_index`) of present memberships (`membership_checks`,
  `unsubscriptions`), each once (`repeats`), and replays missed ones (`replay`, `recent_events`,
  `current_content`)
- `frames`, `wire`: what goes over a socket, and the one file that knows how the server writes it
- `gateway`, `identify`, `socket`: the protocol with one client
- `ephemeral`, `typing`, `presence`: events for connected clients only, which are not stored
"""
