"""Where a program stopped in the stream of events, kept over its restarts.

    async with client.gateway(cursor="bot.cursor") as live:
        async for message in live.messages():
            await live.reply(message, "Thank you.")

The cursor is saved when the code that handles an event is done with it: when it asks for the next one. A program that
is killed before gets the event again, and `reply` sends the same nonce again, so the answer is one message.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import msgspec

from sobremesa.client.errors import ClientError
from sobremesa.client.frames import Event, Session

KEPT_IDS = 500
"""How many ids of handled events are saved. A server repeats at most some seconds of events after a resume."""


class BadCursor(ClientError):
    """What the store has loaded is not a cursor."""


class SavedCursor(msgspec.Struct, frozen=True, rename="camel"):
    """A position in the stream of events, as it is stored."""

    session_id: str
    s: Any
    handled: Sequence[str] = ()
    """The ids of the last events that were handled, oldest first."""


class CursorStore(Protocol):
    """Keeps the cursor of one program. Both methods run in a thread, one call at a time."""

    def load(self) -> bytes | None:
        """Return what was saved last, or None before the first save."""
        ...

    def save(self, cursor: bytes) -> None:
        """Save the cursor, all of it or nothing."""
        ...


class CursorFile:
    """Keeps the cursor in a file, which is replaced as a whole. A file is for one user and one program at a time."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)

    def load(self) -> bytes | None:
        try:
            return self._path.read_bytes()
        except FileNotFoundError:
            return None

    def save(self, cursor: bytes) -> None:
        beside = self._path.with_name(f"{self._path.name}.new")
        # The cursor is not a secret by itself, but no other user of the machine needs it.
        with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(cursor)
            file.flush()
            os.fsync(file.fileno())  # otherwise a power cut may leave an empty file under the final name
        beside.replace(self._path)


class HandledEvents:
    """Up to where events are handled, as opposed to received."""

    def __init__(self, saved: SavedCursor | None = None) -> None:
        self._session_id = None if saved is None else saved.session_id
        self._s: Any = None if saved is None else saved.s
        self._ids: OrderedDict[str, None] = OrderedDict.fromkeys(() if saved is None else saved.handled)

    def has(self, event_id: str) -> bool:
        """Return whether an event was handled, in this process or before it."""
        return event_id in self._ids

    def add_id(self, event_id: str) -> None:
        """Note the id of a handled event."""
        self._ids[event_id] = None
        while len(self._ids) > KEPT_IDS:
            self._ids.popitem(last=False)

    def add(self, event: Event) -> bool:
        """Note a handled event; return whether there is anything to save."""
        if event.t == "ready":
            self._session_id = msgspec.convert(event.d, Session).session_id
        if event.id is not None:
            self.add_id(event.id)
        if event.s is None:
            return False
        self._s = event.s
        return self._session_id is not None

    def encoded(self) -> bytes:
        """Return the cursor after all handled events, for a store."""
        return msgspec.json.encode(SavedCursor(self._session_id or "", self._s, list(self._ids)))


def store_of(cursor: CursorStore | str | os.PathLike[str] | None) -> CursorStore | None:
    """Return the store of a cursor: a path means a file."""
    return CursorFile(cursor) if isinstance(cursor, str | os.PathLike) else cursor


def decoded(raw: bytes | None) -> SavedCursor | None:
    """Return a saved cursor; raises BadCursor instead of starting anew, since that would skip events."""
    if raw is None:
        return None
    try:
        return msgspec.json.decode(raw, type=SavedCursor)
    except msgspec.MsgspecError as error:
        raise BadCursor(f"the saved cursor cannot be read ({error}); delete it to start with new events") from error
