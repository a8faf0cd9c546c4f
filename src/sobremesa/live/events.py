"""Event types, events, topics, and publications: events with the audience changes that they cause.

    member_left = EventType("member.left", MemberGone, "A member left a server, or was removed from it.")

    member_left(MemberGone(server_id, user_id), server(server_id), user(user_id), removes=[...])

An event type is declared once, beside the rows that it comes from; the event catalog, the AsyncAPI document and the
tests are loops over all of them. An event is the same for all of its recipients, so it is encoded once: nothing in
it is specific to a reader, except that its author receives private fields, such as the nonce of their request.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import ModuleType
from typing import Generic, NamedTuple, NewType, TypeVar

import msgspec

from sobremesa.core.actor import UserId
from sobremesa.core.clock import EPOCH

D = TypeVar("D", bound=msgspec.Struct)

Topic = NewType("Topic", str)
"""What subscribers subscribe to: a user, a tenant, a server, a conversation, a thread or a workspace."""

_encode = msgspec.json.Encoder().encode


def user(user_id: str) -> Topic:
    """Return the topic of all connections of one user."""
    return Topic(f"user:{user_id}")


def user_of(topic: Topic) -> UserId:
    """Return the user of a user topic."""
    return UserId(topic.removeprefix("user:"))


def tenant(name: str) -> Topic:
    """Return the topic of all users of a tenant."""
    return Topic(f"tenant:{name}")


def server(server_id: str) -> Topic:
    """Return the topic of all members of a server, for all of its channels."""
    return Topic(f"server:{server_id}")


def conversation(room_id: str) -> Topic:
    """Return the topic of the participants of a conversation."""
    return Topic(f"conversation:{room_id}")


def thread(room_id: str) -> Topic:
    """Return the topic of the participants of a thread."""
    return Topic(f"thread:{room_id}")


def workspace(workspace_id: str) -> Topic:
    """Return the topic of the members of a workspace."""
    return Topic(f"workspace:{workspace_id}")


def parts_of(topic: Topic) -> tuple[str, str]:
    """Return the kind of a topic, and the id of what it is about."""
    kind, _, id = topic.partition(":")
    return kind, id


class TopicMembership(NamedTuple):
    """A user receives the events of a topic, and as a moderator also what is withheld there."""

    user_id: UserId
    topic: Topic
    moderates: bool = False
    since: str = ""
    """The version of the membership: when it started. A user who leaves and rejoins gets another. Empty: unknown."""


class TopicRemoval(NamedTuple):
    """The end of a membership: a user receives no more events of a topic; None: no user does."""

    user_id: UserId | None
    topic: Topic
    since: str = ""
    """The version of the membership that ended; empty: unknown."""


class MembershipKey(NamedTuple):
    """A user and a topic: identifies a membership, whether or not it exists."""

    user_id: UserId
    topic: Topic


def version_of(joined_at: str) -> str:
    """Return the version of a membership that started then; empty if its row does not have the time."""
    return "" if joined_at == EPOCH else joined_at


class Event(msgspec.Struct, frozen=True, kw_only=True, array_like=True, omit_defaults=True):
    """A published event: its type, payload and topics."""

    t: str
    """The name of its type."""
    d: bytes
    """The payload, as JSON."""
    topics: tuple[Topic, ...] = ()
    subject: str = ""
    """The id of what the event shows; a later event with the same subject may have changed it."""
    author: UserId | None = None
    full: bytes | None = None
    """The payload for moderators and the author, in place of `d`."""
    private: bytes = b""
    """Further fields of the payload, for the author alone, as members of a JSON object: `"nonce":"a1"`."""
    is_reference: bool = False
    """Whether `d` only refers to the payload, which is resolved for each recipient right before delivery."""

    @property
    def supersedes(self) -> bool:
        """Whether it changes what earlier events about its subject show: new messages and reactions do not."""
        return bool(self.subject) and not (self.t.endswith(".created") or self.t.startswith("reaction."))


class AudienceChange(msgspec.Struct, frozen=True, kw_only=True, array_like=True, omit_defaults=True):
    """Users who start or stop to receive the events of topics, and sockets to close."""

    adds: tuple[TopicMembership, ...] = ()
    removes: tuple[TopicRemoval, ...] = ()
    ends: tuple[str, ...] = ()
    """Sessions and users whose sockets are to be closed."""

    @property
    def membership_keys(self) -> Sequence[MembershipKey]:
        """The memberships that it changes; those of all members of a topic at once are not listed."""
        added = [MembershipKey(each.user_id, each.topic) for each in self.adds]
        return added + [MembershipKey(each.user_id, each.topic) for each in self.removes if each.user_id is not None]

    @property
    def ended_topics(self) -> Sequence[Topic]:
        """The topics that no user receives any more."""
        return [each.topic for each in self.removes if each.user_id is None]


class Publication(msgspec.Struct, frozen=True, kw_only=True, array_like=True, omit_defaults=True):
    """What a change of a row causes: an event, an audience change, or both.

    Users who are added receive the event, and so do those who are removed.
    """

    id: str = ""
    """The same for the same publication, however often and from wherever it comes; the change's own unless given."""
    event: Event | None = None
    audience: AudienceChange | None = None


class EventType(Generic[D]):
    """A kind of event: its name, payload type and summary."""

    def __init__(self, name: str, payload: type[D], summary: str, *, to: str = "you", durable: bool = True) -> None:
        self.name = name
        self.payload = payload
        self.summary = summary
        self.to = to
        """The recipients, as the documentation names them."""
        self.durable = durable
        """Whether it has a position in the feed. Ephemeral events, such as typing and presence, cannot be missed."""

    def event(
        self,
        d: D,
        *topics: Topic,
        subject: str = "",
        author: UserId | None = None,
        full: D | None = None,
        private: Mapping[str, str] | None = None,
    ) -> Event:
        """Create an event for the subscribers of these topics.

        Moderators and the author receive `full` instead, if given; the author alone also the `private` fields.
        """
        return Event(
            t=self.name,
            d=_encode(d),
            topics=topics,
            subject=subject,
            author=author,
            full=None if full is None else _encode(full),
            private=_encode(private)[1:-1] if private else b"",
        )

    def per_recipient(self, reference: msgspec.Struct, topic: Topic) -> Publication:
        """Create a publication whose payload is resolved for each recipient, from this reference."""
        return Publication(event=Event(t=self.name, d=_encode(reference), topics=(topic,), is_reference=True))

    def __call__(
        self,
        d: D,
        *topics: Topic,
        subject: str = "",
        author: UserId | None = None,
        full: D | None = None,
        adds: Iterable[TopicMembership] = (),
        removes: Iterable[TopicRemoval] = (),
    ) -> Publication:
        """Create the publication of such an event, with the audience changes that it causes."""
        event = self.event(d, *topics, subject=subject, author=author, full=full)
        changes = AudienceChange(adds=tuple(adds), removes=tuple(removes))
        return Publication(event=event, audience=changes if changes.adds or changes.removes else None)

    def __repr__(self) -> str:
        return f"EventType({self.name})"


class EventTypes:
    """The closed set of all event types."""

    def __init__(self, types: Iterable[EventType[msgspec.Struct]]) -> None:
        self._by_name = {kind.name: kind for kind in types}

    @classmethod
    def of(cls, *modules: ModuleType) -> EventTypes:
        """Return the event types that these modules declare, in order."""
        found = [value for module in modules for value in vars(module).values() if isinstance(value, EventType)]
        names = [kind.name for kind in found]
        twice = {name for name in names if names.count(name) > 1}
        if twice:
            raise TypeError(f"event types declared twice: {', '.join(sorted(twice))}")
        return cls(found)

    def __iter__(self) -> Iterator[EventType[msgspec.Struct]]:
        return iter(self._by_name.values())

    def __getitem__(self, name: str) -> EventType[msgspec.Struct]:
        return self._by_name[name]


def audience_change(*, removes: Iterable[TopicRemoval] = (), ends: Iterable[str] = ()) -> Publication:
    """Create a publication without an event, which only changes the audience."""
    return Publication(audience=AudienceChange(removes=tuple(removes), ends=tuple(ends)))
