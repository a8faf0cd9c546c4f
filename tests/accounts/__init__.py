"""Users, tokens and keys, through the service, on the embedded engine and on a DynamoDB endpoint.

- `env`: accounts over a table, with everything that they touch in reach of a test
- `test_register`, `test_login`, `test_sessions`, `test_passwords`, …: the verbs
- `test_tokens`, `test_issuers`, `test_server_keys`, `test_authentication`: from a token to an actor, and attacks on it
- `test_keyring`: where keys are kept
- `test_account_deletion`: deleting an account, also when it is interrupted
"""
