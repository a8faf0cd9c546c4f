"""How often the tests repeat that try something random again and again: short in `make test`, long in `make long`.

The marker `long` names these tests. `SEED`, where it is used, is printed by a failing test, and the environment
variable TESTS_SEED repeats it.
"""

import os
import random

SEED = int(os.environ.get("TESTS_SEED", random.randrange(10**9)))

_IS_LONG = os.environ.get("TESTS_LENGTH") == "long"


def _length(short: int, long: int) -> int:
    return long if _IS_LONG else short


PROPERTY_EXAMPLES = _length(40, 1_000)
"""How many random examples a property is tried with, unless its test overrides it."""
CRASH_CYCLES = _length(4, 100)
"""How often a process is killed while it writes."""
POWER_CUTS = _length(15, 1_000)
"""At how many places a recorded run is cut, and at how many acknowledgments."""
POWER_CUTS_AT_CREATION = _length(1, 3)
"""How often the power fails at each write that creates a store."""
WITH_MOTO = _IS_LONG
"""Whether the contract of the table is also tried on moto."""
_IS_CONFORMANCE = os.environ.get("TESTS_DYNAMODB") == "local"
DIFFERENTIAL_OPERATIONS = 20_000 if _IS_CONFORMANCE else _length(1_000, 20_000)
"""How many random operations the engines are compared by; in `make conformance`, with DynamoDB Local."""
DIFFERENTIAL_PARTS = 4 if _IS_CONFORMANCE else 1
"""In how many tests with seeds of their own, so that workers share them."""
SCHEMATHESIS_EXAMPLES = _length(1, 100)
"""How many requests of each sort go to each operation of the API."""
SCHEMATHESIS_ENGINES = ("embedded", "dynamodb") if _IS_LONG else ("embedded",)
SCHEMATHESIS_STEP = _length(3, 1)
"""Every how many operations of the API also get requests that do not fit their description."""
PATH_ENGINES = ("embedded", "dynamodb") if _IS_LONG or _IS_CONFORMANCE else ("embedded",)
"""On which engines every route is called in one story; `make conformance` has DynamoDB Local for the second."""
AUTHORIZATION_STEP = _length(5, 1)
"""Every how many lines of the authorization matrix are tried on DynamoDB too; the embedded engine tries all."""
TENANT_MATRIX = [("embedded", "default", "globex"), ("dynamodb", "acme", "default")]
"""On which engine which tenant is tried from which other one. Rows of `default` are stored without a tenant."""
if _IS_LONG:
    TENANT_MATRIX += [("dynamodb", "default", "globex"), ("embedded", "acme", "default")]
MIGRATION_ROWS = _length(600, 50_000)
MIGRATION_KILLS = _length(2, 5)
MOVED_ROWS = _length(6_000, 200_000)
"""How many rows are exported, imported and copied by commands that are killed."""
MOVING_KILLS = _length(2, 5)
INBOX_EXAMPLES = _length(5, 300)
INBOX_STEPS = _length(40, 80)
SEND_BATCHES = _length(150, 10_000)
"""How many random batches of sends are compared with sends one by one."""
TAIL_SEEDS = _length(2, 100)
TAIL_STEPS = _length(50, 300)
"""With how many seeds, and in how many steps, what nodes show from memory is compared with the table."""
RECORD_SEQUENCES = _length(8, 300)
"""With how many random sequences of changes the tabs of records are compared."""
CUT_SOCKETS = _length(300, 2_000)
"""How many sockets are cut at once and resume."""
PUBLISH_RECIPIENTS = _length(3_000, 10_000)
"""To how many users a publishing goes that is killed twice."""
WEBHOOK_EVENTS = _length(240, 10_000)
"""How many events a webhook receives whose server is killed five times."""
IMPORTED_MESSAGES = _length(200, 10_000)
"""How many messages the recipe of docs/import.md imports."""
SIMULATED_SEEDS = _length(20, 400)
"""How many seeds of the simulation are run; `make simulate` runs more, for longer."""
