"""The engines that keep a table: one protocol, an embedded engine, DynamoDB, and a wrapper that injects faults."""
