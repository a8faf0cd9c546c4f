"""`app` is a whole Sobremesa, once on a file and once on DynamoDB's API; `community` is a server with members."""

from __future__ import annotations

from communities.conftest import Ahead, app, clock, community, store

__all__ = ["Ahead", "app", "clock", "community", "store"]
