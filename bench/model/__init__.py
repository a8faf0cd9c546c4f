"""Ten nodes over the model of DynamoDB, in virtual time: `python -m bench.model`."""
