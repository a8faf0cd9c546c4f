"""The engine on DynamoDB, or on any endpoint with its API.

- `credentials`, `endpoints`, `signature`, `transport`: one signed POST
- `requests`, `render`, `responses`: the wire format; `table.typed_items` has the values
- `client`, `rejections`: one typed call; DynamoDB's errors become the table's here
- `definitions`, `autoscaling`, `admin`: creating, describing and dropping the table
- `positions`, `shards`, `streams`: the change stream, with positions that survive the process
- `engine`: the engine protocol
"""

from sobremesa.table.engines.dynamodb.engine import DynamoEngine

__all__ = ["DynamoEngine"]
