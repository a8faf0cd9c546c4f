"""The demo's sign-in page, which offers its users with one click."""

from __future__ import annotations

import msgspec

from sobremesa.demo.users import LOGINS, PASSWORD
from sobremesa.web import Client, read_build, with_meta

META = "sobremesa-demo"
"""The element of the page with the logins. The page of `serve` does not have it."""


def demo_client() -> Client:
    """Return the web client with the demo's logins in its page."""
    return Client(with_meta(read_build(), META, _logins()))


def _logins() -> str:
    users = [
        {"name": user.full_name, "username": user.name, "password": PASSWORD, "sees": user.sees} for user in LOGINS
    ]
    return msgspec.json.encode({"people": users}).decode()
