"""`app` is a complete Sobremesa, once on a file and once on DynamoDB's API."""

from __future__ import annotations

from communities.conftest import Ahead, app, clock, community, store

__all__ = ["Ahead", "app", "clock", "community", "store"]
