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
"""What subscribers subscribe to: a user, a tenant, a server, a channel with an access list, a conversation, a thread
or a workspace.
"""

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
    """Return the topic of all members of a server, for all of its channels without an access list."""
    return Topic(f"server:{server_id}")


def channel(server_id: str, channel_id: str) -> Topic:
    """Return the topic of a channel that is private, or was: of the members of its server whom its list allows."""
    return Topic(f"channel:{server_id}/{channel_id}")


def server_of(topic: Topic) -> Topic | None:
    """Return the topic of the server of a channel's topic; None for any other topic."""
    return server(topic[8:].partition("/")[0]) if topic.startswith("channel:") else None


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
    is_hidden: bool = False
    """Whether the user does not see the channel of this topic, not even in events from before it became private."""


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
    without: Topic = Topic("")
    """A topic whose subscribers do not receive it."""
    moderates: bool | None = None
    """Whether it is only for those who moderate its topics, or only for those who do not; None: for both."""
    room: str = ""
    """The channel that it is about: a crowded topic delivers it only to those who watch the channel."""
    addressees: tuple[UserId, ...] = ()
    """Users of its topics who receive it whether they watch the channel or not."""

    @property
    def supersedes(self) -> bool:
        """Whether it changes what earlier events about its subject show: new messages and reactions do not."""
        return bool(self.subject) and not (self.t.endswith(".created") or self.t.startswith("reaction."))

    @property
    def is_deletion(self) -> bool:
        """Whether it reports that its subject is gone."""
        return self.t.endswith(".deleted")


class _InChannel(msgspec.Struct, rename="camel"):
    """What the payload of an event of a channel has: one of these ids."""

    channel_id: str | None = None
    room_id: str | None = None


_decode_channel = msgspec.json.Decoder(_InChannel).decode


def channel_topic_of(event: Event) -> Topic | None:
    """Return the topic that the channel of an event would have; None for events that are about no channel."""
    topic = event.topics[0] if event.topics else Topic("")
    kind, server_id = parts_of(topic)
    if kind != "server":
        return None
    about = _decode_channel(event.d)
    id = about.channel_id or about.room_id
    return None if id is None else channel(server_id, id)


class AudienceChange(msgspec.Struct, frozen=True, kw_only=True, array_like=True, omit_defaults=True):
    """Users who start or stop to receive the events of topics, and sockets to close."""

    adds: tuple[TopicMembership, ...] = ()
    removes: tuple[TopicRemoval, ...] = ()
    ends: tuple[str, ...] = ()
    """Sessions and users whose sockets are to be closed, and users whose tokens were revoked (`tokens_of`)."""
    rechecks: tuple[Topic, ...] = ()
    """Topics of channels whose access list changed: the membership of every subscriber of the server is read again."""
    of: UserId | None = None
    """Whose sockets `ends` closes; None if they may be of several users."""

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
        room: str = "",
        addressees: tuple[UserId, ...] = (),
    ) -> Event:
        """Create an event for the subscribers of these topics.

        Moderators and the author receive `full` instead, if given; the author alone also the `private` fields. With a
        `room`, a crowded topic delivers it only to those who watch the room, and to the addressees.
        """
        return Event(
            t=self.name,
            d=_encode(d),
            topics=topics,
            subject=subject,
            author=author,
            full=None if full is None else _encode(full),
            private=_encode(private)[1:-1] if private else b"",
            room=room,
            addressees=addressees,
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
        rechecks: Iterable[Topic] = (),
        room: str = "",
        addressees: tuple[UserId, ...] = (),
    ) -> Publication:
        """Create the publication of such an event, with the audience changes that it causes."""
        event = self.event(d, *topics, subject=subject, author=author, full=full, room=room, addressees=addressees)
        changes = AudienceChange(adds=tuple(adds), removes=tuple(removes), rechecks=tuple(rechecks))
        has_changes = changes.adds or changes.removes or changes.rechecks
        return Publication(event=event, audience=changes if has_changes else None)

    def to_others(self, d: D, topic: Topic, *, without: Topic, moderates: bool | None = None) -> Publication:
        """Create the publication of an event for the subscribers of a topic who are not subscribed to another one."""
        event = self.event(d, topic)
        return Publication(event=msgspec.structs.replace(event, without=without, moderates=moderates))

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


_TOKENS = "tokens:"


def tokens_of(user_id: UserId) -> str:
    """Return the subject of the present tokens of a user, for `ends`.

    It closes open sockets only. On replay it has no effect, unlike the user: the socket has a newer token, and would
    be closed each time that it resumes.
    """
    return _TOKENS + user_id


def subject_of(ended: str) -> str:
    """Return the session or user whose open sockets an entry of `ends` closes."""
    return ended.removeprefix(_TOKENS)


def audience_change(
    *,
    removes: Iterable[TopicRemoval] = (),
    ends: Iterable[str] = (),
    of: UserId | None = None,
    rechecks: Iterable[Topic] = (),
) -> Publication:
    """Create a publication without an event, which only changes the audience."""
    change = AudienceChange(removes=tuple(removes), ends=tuple(ends), rechecks=tuple(rechecks), of=of)
    return Publication(audience=change)
