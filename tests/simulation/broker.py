"""A model of Redis and Valkey: what nodes ask of one server, its scripts, and its sharded messages.

It speaks the protocol of Redis, so nodes use the client that they always use, and runs the same Lua. One command takes
some microseconds of its time. `test_broker` compares it with Valkey.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

import lupa.lua51

from simulation.keyspace import Failed, Keyspace, Reply, Status

COMMAND_MICROS = 20
"""How long a command takes: no two have the same time."""
CRLF = b"\r\n"


class Session(Protocol):
    """A client of the broker."""

    def answer(self, data: bytes) -> None:
        """Take bytes of answers and messages."""
        ...


class Broker:
    """One server, which is not part of a cluster."""

    def __init__(self, now_micros: Callable[[], int]) -> None:
        self._now_micros = now_micros
        self._micros = 0
        """The time of the last command."""
        self.is_listening = True
        self.is_paused = False
        self._sessions: dict[Session, _Input] = {}
        self._subscribers: dict[bytes, dict[Session, None]] = {}
        self._empty()

    def _empty(self) -> None:
        self._keys = Keyspace()
        self._scripts = _Scripts(self._call)

    # Connections

    def accept(self, session: Session) -> None:
        self._sessions[session] = _Input()

    def receive(self, session: Session, data: bytes) -> None:
        """Do the commands that have come in full; a paused server leaves them for later."""
        if session in self._sessions:
            self._sessions[session].data += data
            if not self.is_paused:
                self._do(session)

    def lost(self, session: Session) -> None:
        self._sessions.pop(session, None)
        for channel in list(self._subscribers):
            self._unsubscribe(session, channel)

    # Faults

    def stop(self, *, is_emptied: bool) -> None:
        """End it, with everything that it has, or all of it saved."""
        self.is_listening = False
        for session in list(self._sessions):
            self.lost(session)
        if is_emptied:
            self._empty()

    def start(self) -> None:
        self.is_listening = True

    def resume(self) -> None:
        """Go on after a pause, with the commands that came meanwhile."""
        self.is_paused = False
        for session in list(self._sessions):
            self._do(session)

    # Inside

    def _do(self, session: Session) -> None:
        for command in self._sessions[session].commands():
            reply = self.run(session, command)
            if session in self._sessions:
                session.answer(b"".join(map(encoded, reply)))

    def run(self, session: Session, command: Sequence[bytes]) -> list[Reply]:
        """Do one command; return its answers, of which subscriptions have several."""
        name, arguments = command[0].upper(), command[1:]
        self._micros = max(self._now_micros(), self._micros + COMMAND_MICROS)
        self._keys.now_ms = self._micros // 1000
        match name:
            case b"SSUBSCRIBE":
                return [self._subscribe(session, channel) for channel in arguments]
            case b"SUNSUBSCRIBE":
                return [self._unsubscribe(session, channel) for channel in arguments]
            case b"PING":
                is_subscribed = any(session in some for some in self._subscribers.values())
                return [[b"pong", arguments[0]] if is_subscribed else arguments[0]]
            case b"EVAL" | b"EVALSHA":
                count = int(arguments[1])
                keys, values = arguments[2 : 2 + count], arguments[2 + count :]
                return [self._scripts.run(arguments[0], keys, values, is_hash=name == b"EVALSHA")]
            case b"INFO":
                return [b"# Cluster\r\ncluster_enabled:0\r\n"]
            case b"CLIENT":
                return [Status("OK")]
            case _:
                return [self._call(name, arguments)]

    def _call(self, name: bytes, arguments: Sequence[bytes]) -> Reply:
        """Do a command that scripts may do, too."""
        match name.upper():
            case b"TIME":
                seconds, micros = divmod(self._micros, 1_000_000)
                return [b"%d" % seconds, b"%d" % micros]
            case b"SPUBLISH":
                channel, data = arguments
                receiving = list(self._subscribers.get(channel, ()))
                for session in receiving:
                    session.answer(encoded([b"smessage", channel, data]))
                return len(receiving)
            case _:
                return self._keys.run(name, arguments)

    def _subscribe(self, session: Session, channel: bytes) -> Reply:
        self._subscribers.setdefault(channel, {})[session] = None
        return [b"ssubscribe", channel, self._subscriptions(session)]

    def _unsubscribe(self, session: Session, channel: bytes) -> Reply:
        receiving = self._subscribers.get(channel, {})
        receiving.pop(session, None)
        if not receiving:
            self._subscribers.pop(channel, None)
        return [b"sunsubscribe", channel, self._subscriptions(session)]

    def _subscriptions(self, session: Session) -> int:
        return sum(session in some for some in self._subscribers.values())


class _Input:
    """What a client has sent and was not done yet."""

    def __init__(self) -> None:
        self.data = bytearray()

    def commands(self) -> Iterator[list[bytes]]:
        """Take the commands that are complete."""
        while (found := self._first()) is not None:
            command, size = found
            del self.data[:size]
            yield command

    def _first(self) -> tuple[list[bytes], int] | None:
        line = self._line(0)
        if line is None:
            return None
        count, at = line
        parts: list[bytes] = []
        for _ in range(count):
            line = self._line(at)
            if line is None or len(self.data) < line[1] + line[0] + len(CRLF):
                return None
            size, start = line
            parts.append(bytes(self.data[start : start + size]))
            at = start + size + len(CRLF)
        return parts, at

    def _line(self, start: int) -> tuple[int, int] | None:
        """Return the number of a line, after its first character, and where the next one starts."""
        end = self.data.find(CRLF, start)
        return None if end < 0 else (int(self.data[start + 1 : end]), end + len(CRLF))


class _Scripts:
    """The Lua scripts of a server."""

    def __init__(self, call: Callable[[bytes, Sequence[bytes]], Reply]) -> None:
        self._lua = lupa.lua51.LuaRuntime(encoding=None, register_eval=False)
        self._call = call
        self._known: dict[bytes, Any] = {}
        self._lua.globals()[b"redis"] = self._lua.table_from({b"call": self._called})

    def run(self, text: bytes, keys: Sequence[bytes], arguments: Sequence[bytes], *, is_hash: bool) -> Reply:
        """Run a script, by its text or the hash of a text that was run before."""
        digest = text if is_hash else hashlib.sha1(text, usedforsecurity=False).hexdigest().encode()
        if not is_hash:
            self._known[digest] = self._lua.execute(b"return function(KEYS, ARGV) " + text + b"\nend")
        script = self._known.get(digest)
        if script is None:
            return Failed("NOSCRIPT No matching script. Please use EVAL.")
        return self._reply(script(self._lua.table_from(keys), self._lua.table_from(arguments)))

    def _called(self, name: bytes, *arguments: bytes | float) -> Any:
        reply = self._call(name, [each if isinstance(each, bytes) else b"%.17g" % each for each in arguments])
        if isinstance(reply, Failed):
            raise RuntimeError(reply.text)
        return self._value(reply)

    def _value(self, reply: Reply) -> Any:
        match reply:
            case None:
                return False
            case Status():
                return self._lua.table_from({b"ok": reply.text.encode()})
            case list():
                return self._lua.table_from([self._value(each) for each in reply])
            case _:
                return reply

    def _reply(self, value: Any) -> Reply:
        match value:
            case None | False:
                return None
            case bytes():
                return value
            case int() | float():
                return int(value)
            case _:
                return [self._reply(value[index]) for index in range(1, len(value) + 1)]


def encoded(reply: Reply) -> bytes:
    """Return an answer as it is sent."""
    match reply:
        case None:
            return b"$-1\r\n"
        case Status():
            return b"+%b\r\n" % reply.text.encode()
        case Failed():
            return b"-%b\r\n" % reply.text.encode()
        case bytes():
            return b"$%d\r\n%b\r\n" % (len(reply), reply)
        case int():
            return b":%d\r\n" % reply
        case _:
            return b"*%d\r\n" % len(reply) + b"".join(map(encoded, reply))
