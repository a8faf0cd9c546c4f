"""The engine over DynamoDB, or over any endpoint that speaks its API.

- `credentials`, `signature`, `transport`: one signed POST, and what can be known when no answer comes
- `answers`, `serialise`, `render`, `requests`: what goes over the wire, in both directions
- `client`, `rejections`: one typed exchange; DynamoDB's errors end here and become the table's
- `admin`: the life of the table
- `positions`, `shards`, `streams`: the change stream, with positions that outlive the process
- `engine`: all of it behind the engine protocol
"""

from sobremesa.table.engines.dynamodb.engine import DynamoEngine

__all__ = ["DynamoEngine"]
