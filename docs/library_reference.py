"""The nouns and verbs of the library, as the code declares them, for docs/library-reference.md."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Iterator
from typing import Any

from sobremesa.app import Sobremesa
from sobremesa.rooms.service import Rooms

NOUNS = (
    "accounts",
    "accounts.server_keys",
    "communities",
    "communities.members",
    "communities.invites",
    "conversations",
    "conversations.participants",
    "threads",
    "threads.participants",
    "threads.cards",
    "threads.tabs",
    "records",
    "workspaces",
    "workspaces.members",
    "workspaces.invites",
    "workspaces.items",
    "workspaces.settings",
    "inboxes",
    "webhooks",
    "invites",
    "attachments",
    "notifications",
    "moderation",
    "imports",
    "presence",
)
WITHOUT_ACTOR = {
    "imports": {"start"},
    "accounts": {
        "register",
        "ask_registration",
        "confirm_registration",
        "login",
        "refresh",
        "authenticate",
        "ask_reset",
        "confirm_reset",
        "get_user",
        "find_by_email",
        "find_by_username",
        "find_by_usernames",
        "find_by_external_ids",
        "require_users",
        "profiles",
        "has_blocked",
        "grant_admin",
        "rotate_signing_key",
    },
    "accounts.server_keys": {"create_key", "list_keys", "revoke_key"},
    "threads.cards": {"move_as_system"},
    "notifications": {"unsubscribe_token", "unsubscribe"},
    "presence": {"of"},
}
"""Verbs of programs and operators; every other verb of the library has an actor."""
INTERNAL = {"seats_of", "attachable", "keep", "require_party"}
"""Verbs with an actor that other services use."""


async def sections() -> list[tuple[str, str, list[tuple[str, str]]]]:
    """Return every noun with its promise and its verbs: their signatures and promises."""
    async with Sobremesa.open("sqlite://", background=False) as app:
        found = [("a room", _promise(Rooms), list(_verbs("rooms", app.conversations, of_rooms=True)))]
        for name in NOUNS:
            noun: Any = app
            for part in name.split("."):
                noun = getattr(noun, part)
            found.append((f"app.{name}", _promise(type(noun)), list(_verbs(name, noun))))
        return found


def _verbs(name: str, noun: object, *, of_rooms: bool = False) -> Iterator[tuple[str, str]]:
    for verb in _names_in_order(type(noun), noun):
        method = getattr(noun, verb)
        if verb.startswith("_") or verb in INTERNAL or not inspect.isroutine(method):
            continue
        takes_actor = next(iter(inspect.signature(method).parameters), None) == "actor"
        if not takes_actor and verb not in WITHOUT_ACTOR.get(name, ()):
            continue
        if isinstance(noun, Rooms) and (verb in vars(Rooms)) != of_rooms:
            continue
        yield _signature(verb, method, noun), _promise(method)


def _names_in_order(kind: type, noun: object) -> list[str]:
    """Return the names of methods as they are declared, and of the verbs that a noun takes from its parts."""
    declared = [name for parent in reversed(kind.__mro__) if parent is not object for name in vars(parent)]
    return list(dict.fromkeys([*declared, *vars(noun)]))


def _signature(verb: str, method: Any, noun: object) -> str:
    signature = inspect.signature(method)
    words = []
    for parameter in signature.parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in words:
            words.append("*")
        default = "" if parameter.default is parameter.empty else f" = {parameter.default!r}"
        words.append(f"{parameter.name}: {_type(parameter.annotation, noun)}{default}")
    return f"{verb}({', '.join(words)}) -> {_type(signature.return_annotation, noun)}"


def _type(annotation: str, noun: object) -> str:
    """Return a type as it is written, with the type parameters of a generic noun filled in."""
    of = getattr(noun, "__orig_class__", None)
    if of is not None:
        for parameter, argument in zip(type(noun).__parameters__, typing.get_args(of), strict=True):  # type: ignore[attr-defined]
            annotation = annotation.replace(parameter.__name__, argument.__name__)
    return annotation


def _promise(documented: object) -> str:
    text = inspect.getdoc(documented)
    assert text, documented
    return text.split("\n")[0]
