"""The demo's sign-in page: its people, to be signed in as with one click."""

from __future__ import annotations

import msgspec

from sobremesa.demo.people import LOGINS, PASSWORD
from sobremesa.web import Client, read_build, with_meta

META = "sobremesa-demo"
"""The element of the page that has the logins. A page of `serve` has none, so it offers nobody."""


def demo_client() -> Client:
    """The web client, with the demo's logins in its page."""
    return Client(with_meta(read_build(), META, _logins()))


def _logins() -> str:
    people = [
        {"name": person.full, "username": person.name, "password": PASSWORD, "sees": person.sees} for person in LOGINS
    ]
    return msgspec.json.encode({"people": people}).decode()
