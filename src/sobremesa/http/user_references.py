"""Users in requests: an id, or `ext:` with the id that a product's own backend uses.

External ids are resolved here, at the edge, in the tenant of the actor. Handlers only ever get ids of users.
"""

from __future__ import annotations

import asyncio
import functools
import itertools
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, NamedTuple, Protocol

import msgspec

from sobremesa.core.actor import Actor, Tenant, UserId, UserIdList
from sobremesa.core.errors import Forbidden, NotFound, UnknownUsers

EXTERNAL_ID = "ext:"
"""The prefix of an external id where a user id is accepted."""
RESOLVED_AT_ONCE = 500


class Users(Protocol):
    """What requests need of accounts."""

    async def act_as(self, key: Actor, reference: str, operation: str, *, is_write: bool) -> Actor:
        """Return the actor of a backend that acts as a user, and record a write in the audit log.

        Forbidden unless `key` is a server key, UnknownUsers if its tenant has no such user.
        """
        ...

    async def find_by_external_ids(self, tenant: Tenant, external_ids: Sequence[str]) -> Mapping[str, UserId]:
        """Return the users of a tenant by their external ids; unknown ids are omitted."""
        ...


class NoUsers:
    """No users, for endpoints that are served without accounts."""

    async def act_as(self, key: Actor, reference: str, operation: str, *, is_write: bool) -> Actor:
        raise Forbidden

    async def find_by_external_ids(self, tenant: Tenant, external_ids: Sequence[str]) -> Mapping[str, UserId]:
        return {}


class _Reference(NamedTuple):
    """An external id in the input, and how to replace it."""

    external_id: str
    replace: Callable[[UserId], None]


class _Fields(NamedTuple):
    """The fields of a struct with user ids, with texts of several ids, and with structs that may have some."""

    users: tuple[str, ...]
    lists: tuple[str, ...]
    structs: tuple[str, ...]


async def resolve_users(users: Users, tenant: Tenant, arguments: dict[str, Any], path_fields: Iterable[str]) -> None:
    """Replace the external ids in the arguments of a handler by user ids.

    An unknown one in the path is NotFound, as every unknown id there; in the body or query it is UnknownUsers.
    """
    in_path = [
        _Reference(text.removeprefix(EXTERNAL_ID), functools.partial(arguments.__setitem__, field))
        for field in path_fields
        if (text := arguments[field]).startswith(EXTERNAL_ID)
    ]
    if await _resolve(users, tenant, in_path):
        raise NotFound
    inputs = (arguments[name] for name in ("body", "query") if isinstance(arguments.get(name), msgspec.Struct))
    unknown = await _resolve(users, tenant, [each for given in inputs for each in _references(given)])
    if unknown:
        raise UnknownUsers.among([EXTERNAL_ID + external_id for external_id in unknown])


def names_users(kind: Any) -> bool:
    """Return whether input of this type can contain user ids."""
    return any(any(_fields_of(struct)) for struct in _leaves(kind) if _is_struct(struct))


def is_user_id(kind: Any) -> bool:
    """Return whether this is the type of a user id."""
    return UserId in _leaves(kind)


async def _resolve(users: Users, tenant: Tenant, references: Iterable[_Reference]) -> list[str]:
    """Replace the known references, and return the external ids that are unknown."""
    unknown: dict[str, None] = {}
    left = iter(references)
    while batch := list(itertools.islice(left, RESOLVED_AT_ONCE)):
        found = await users.find_by_external_ids(tenant, list(dict.fromkeys(each.external_id for each in batch)))
        for external_id, replace in batch:
            if external_id in found:
                replace(found[external_id])
            else:
                unknown[external_id] = None
        await asyncio.sleep(0)  # a request may name many users: yield to other tasks
    return list(unknown)


def _references(struct: msgspec.Struct) -> Iterator[_Reference]:
    """Return the external ids in the fields of a struct and of the structs in it."""
    fields = _fields_of(type(struct))
    for name in fields.users:
        held = getattr(struct, name)
        if isinstance(held, list):
            for place, text in enumerate(held):
                if text.startswith(EXTERNAL_ID):
                    yield _Reference(text.removeprefix(EXTERNAL_ID), functools.partial(held.__setitem__, place))
        elif isinstance(held, str) and held.startswith(EXTERNAL_ID):
            yield _Reference(held.removeprefix(EXTERNAL_ID), functools.partial(setattr, struct, name))
    for name in fields.lists:
        yield from _listed(struct, name)
    for name in fields.structs:
        held = getattr(struct, name)
        for inner in held if isinstance(held, list) else [held]:
            if isinstance(inner, msgspec.Struct):
                yield from _references(inner)


def _listed(struct: msgspec.Struct, name: str) -> Iterator[_Reference]:
    """Return the external ids in a text of ids separated by commas."""
    parts = getattr(struct, name).split(",")

    def replace(place: int, user_id: UserId) -> None:
        parts[place] = user_id
        setattr(struct, name, ",".join(parts))

    for place, text in enumerate(parts):
        if text.startswith(EXTERNAL_ID):
            yield _Reference(text.removeprefix(EXTERNAL_ID), functools.partial(replace, place))


@functools.cache
def _fields_of(struct: type[msgspec.Struct]) -> _Fields:
    hints = typing.get_type_hints(struct, include_extras=True)
    return _Fields(
        users=tuple(name for name, hint in hints.items() if is_user_id(hint)),
        lists=tuple(name for name, hint in hints.items() if UserIdList in _leaves(hint)),
        structs=tuple(name for name, hint in hints.items() if names_users(hint)),
    )


def _leaves(hint: Any) -> set[Any]:
    """Return the types that a hint is composed of: those of a union, of the items of a list, behind annotations."""
    origin = typing.get_origin(hint)
    if origin is Annotated:
        return _leaves(hint.__origin__)
    if origin in (typing.Union, types.UnionType, list):
        return set().union(*map(_leaves, typing.get_args(hint)))
    return {hint}


def _is_struct(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)
