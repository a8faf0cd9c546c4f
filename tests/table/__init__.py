"""One contract, every store.

- `engines`: the stores, `gaps`: what an endpoint is known to get wrong, `samples`: the entities of these tests
- `test_entities…`, `test_keys`, `test_patterns`: what is declared, without a store
- `test_conditions`, `test_updates`, `test_reads`, `test_queries`, `test_writes`, `test_transactions`, …: on every store
- `test_properties`, `test_paging`: for all inputs
- `test_differential`: the embedded engine and a DynamoDB endpoint, side by side
"""
