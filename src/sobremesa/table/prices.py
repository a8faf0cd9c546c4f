"""Prices of capacity: what DynamoDB charges for units (us-east-1, 2025).

Other regions and reserved capacity have other prices, and storage, streams and backups are charged beside these.
"""

from __future__ import annotations

from sobremesa.table.capacity import Capacity

READ_DOLLARS = 0.125
WRITE_DOLLARS = 0.625
"""On demand, of a million units."""
READ_HOUR_DOLLARS = 0.00013
WRITE_HOUR_DOLLARS = 0.00065
"""Provisioned, of one unit a second for an hour."""
UTILIZATION = 0.7
"""The target of autoscaling: how much of the provisioned capacity is used on average."""

_MILLION = 1_000_000
_HOUR = 3600


def on_demand(used: Capacity) -> float:
    """Return the dollars of these units on demand."""
    return (used.read * READ_DOLLARS + used.write * WRITE_DOLLARS) / _MILLION


def provisioned(used: Capacity, *, utilization: float = UTILIZATION) -> float:
    """Return the dollars of these units in a table with provisioned capacity, of which this share is used."""
    return (used.read * READ_HOUR_DOLLARS + used.write * WRITE_HOUR_DOLLARS) / _HOUR / utilization


def per_million(used: Capacity) -> float:
    """Return the dollars on demand of a million calls that use these units."""
    return on_demand(used) * _MILLION
