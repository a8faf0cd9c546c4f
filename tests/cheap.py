"""Settings of tests: passwords that cost next to nothing to hash.

A hash as a server makes it takes 20 MB and tens of milliseconds, and tests make thousands.
"""

from __future__ import annotations

from typing import Any

CHEAP: dict[str, Any] = {"argon2_memory_kib": 8, "argon2_time_cost": 1, "insecure_passwords": True}
CHEAP_VARIABLES = {name: str(value).lower() for name, value in CHEAP.items()}
