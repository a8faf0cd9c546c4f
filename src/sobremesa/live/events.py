"""Events: what can be told, and the event of one.

    member_left = EventType("member.left", MemberGone, "Somebody left a server, or was removed from it.")

    member_left(MemberGone(server_id, user_id), server(server_id), user(user_id), removes=[...])

An event type is declared once, beside the rows that it comes from; the generated page of events, the AsyncAPI document
and the tests are loops over all of them. An event is the same for everybody who may hear of it, so it is encoded once:
nothing in it is a reader's own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from types import ModuleType
from typing import Generic, NamedTuple, NewType, TypeVar

import msgspec

from sobremesa.core.actor import UserId
from sobremesa.core.clock import EPOCH

D = TypeVar("D", bound=msgspec.Struct)

Topic = NewType("Topic", str)
"""What subscribers listen to: a person, a tenant, a server, a conversation, a thread, a workspace."""

_encode = msgspec.json.Encoder().encode


def user(user_id: str) -> Topic:
    """All sockets of one person."""
    return Topic(f"user:{user_id}")


def user_of(topic: Topic) -> UserId:
    """Whose topic this is."""
    return UserId(topic.removeprefix("user:"))


def tenant(name: str) -> Topic:
    """Everybody of one tenant."""
    return Topic(f"tenant:{name}")


def server(server_id: str) -> Topic:
    """Everybody in a server, with all of its channels."""
    return Topic(f"server:{server_id}")


def conversation(room_id: str) -> Topic:
    """Everybody in a conversation."""
    return Topic(f"conversation:{room_id}")


def thread(room_id: str) -> Topic:
    """Everybody in a thread."""
    return Topic(f"thread:{room_id}")


def workspace(workspace_id: str) -> Topic:
    """Everybody in a workspace."""
    return Topic(f"workspace:{workspace_id}")


def parts_of(topic: Topic) -> tuple[str, str]:
    """The kind of a topic, and the id of what it is about."""
    kind, _, id = topic.partition(":")
    return kind, id


class TopicMembership(NamedTuple):
    """A membership: a user receives the events of a topic, and as a moderator also what is withheld there."""

    user_id: UserId
    topic: Topic
    moderates: bool = False
    since: str = ""
    """The version of the membership: when it began. A user who leaves and comes back has another. Empty: unknown."""


class TopicRemoval(NamedTuple):
    """The end of a membership: a user receives no more events of a topic; None: nobody does."""

    user_id: UserId | None
    topic: Topic
    since: str = ""
    """The version of the membership that ended; empty: unknown."""


class MembershipKey(NamedTuple):
    """A user and a topic: where a membership is, was or will be."""

    user_id: UserId
    topic: Topic


def version_of(joined_at: str) -> str:
    """The version of a membership that began then; empty where its row does not say when."""
    return "" if joined_at == EPOCH else joined_at


class Event(msgspec.Struct, frozen=True, kw_only=True, array_like=True, omit_defaults=True):
    """Something to tell: what, to whom, and what it changes about who listens."""

    t: str = ""
    """The name of the event; empty where nothing is told and only the subscribers change."""
    d: bytes = b""
    """What is told, as JSON."""
    topics: tuple[Topic, ...] = ()
    id: str = ""
    """The same for the same event, however often and from wherever it comes; the change's own unless given."""
    full: bytes | None = None
    """What only moderators and the author are told, in place of `d`."""
    author: UserId | None = None
    adds: tuple[TopicMembership, ...] = ()
    removes: tuple[TopicRemoval, ...] = ()
    ends: tuple[str, ...] = ()
    """Sessions and people whose sockets are to be closed."""
    fresh: tuple[str, str] | None = None
    """For what is a reader's own and has to be asked for: the tenant and the inbox whose counts are told anew."""
    crowd: int = 0
    """Not told where more than this many listen; 0: told everywhere. Only for what has no place in the order."""
    subject: str = ""
    """The id of what the event shows; a later event with the same subject may have changed what is shown."""

    @property
    def supersedes(self) -> bool:
        """Does it change what earlier events about its subject show? A new message does not, nor do reactions to it."""
        return bool(self.subject) and not (self.t.endswith(".created") or self.t.startswith("reaction."))

    @property
    def membership_keys(self) -> Sequence[MembershipKey]:
        """The memberships that it changes; those of everybody in a topic at once are not named."""
        if not (self.adds or self.removes):
            return ()
        admitted = [MembershipKey(each.user_id, each.topic) for each in self.adds]
        return admitted + [MembershipKey(each.user_id, each.topic) for each in self.removes if each.user_id is not None]


class EventType(Generic[D]):
    """One kind of event: its name, what it tells, and when it happens."""

    def __init__(self, name: str, payload: type[D], summary: str, *, to: str = "you", durable: bool = True) -> None:
        self.name = name
        self.payload = payload
        self.summary = summary
        self.to = to
        """Who hears of it, in the words of the documentation."""
        self.durable = durable
        """Does it have a place in the order of events? What is not kept cannot be missed: typing, presence."""

    def __call__(
        self,
        d: D,
        *topics: Topic,
        id: str = "",
        subject: str = "",
        adds: Iterable[TopicMembership] = (),
        removes: Iterable[TopicRemoval] = (),
    ) -> Event:
        """Tell this to everybody who listens to one of the topics."""
        return Event(
            t=self.name,
            d=_encode(d),
            topics=topics,
            id=id,
            subject=subject,
            adds=tuple(adds),
            removes=tuple(removes),
        )

    def withheld(
        self,
        d: D,
        *topics: Topic,
        full: D,
        author: UserId,
        id: str = "",
        subject: str = "",
    ) -> Event:
        """Tell this to everybody, and all of it only to the author and to those who moderate."""
        return Event(
            t=self.name, d=_encode(d), topics=topics, id=id, full=_encode(full), author=author, subject=subject
        )

    def __repr__(self) -> str:
        return f"EventType({self.name})"


class EventTypes:
    """The closed set of all events."""

    def __init__(self, types: Iterable[EventType[msgspec.Struct]]) -> None:
        self._by_name = {kind.name: kind for kind in types}

    @classmethod
    def of(cls, *modules: ModuleType) -> EventTypes:
        """All that these modules declare, in the order in which they do."""
        found = [value for module in modules for value in vars(module).values() if isinstance(value, EventType)]
        names = [kind.name for kind in found]
        twice = {name for name in names if names.count(name) > 1}
        if twice:
            raise TypeError(f"declared twice: {', '.join(sorted(twice))}")
        return cls(found)

    def __iter__(self) -> Iterator[EventType[msgspec.Struct]]:
        return iter(self._by_name.values())

    def __getitem__(self, name: str) -> EventType[msgspec.Struct]:
        return self._by_name[name]


def audience_change(
    *, adds: Sequence[TopicMembership] = (), removes: Sequence[TopicRemoval] = (), ends: Sequence[str] = ()
) -> Event:
    """Nothing is told, but who listens changes."""
    return Event(adds=tuple(adds), removes=tuple(removes), ends=tuple(ends))
