"""What only the DynamoDB engine has; what it shares with the other engine is in `table`.

- `scripted`, `scripted_stream`: a scripted endpoint, and a change stream behind it; `rows`: what is
  written in these tests
- `test_signature`, `test_credentials`, `test_transport`: one signed POST, and what is known when no answer comes
- `test_serialise`, `test_render`, `test_requests`, `test_rejections`: what goes over the wire, in both directions
- `test_retries`: the table's patience over this engine
- `test_table_life`, `test_changes`, `test_shards`, `test_positions`: the life of the table, and its changes
"""
