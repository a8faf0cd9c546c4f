"""What operations cost on DynamoDB.

- `scenario`: runs every operation once, and measures its units
- `plans`: the cost of a month, and budgets
"""
