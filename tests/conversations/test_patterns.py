"""Every declared access pattern finds its rows and no others, and every declared write happens."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from communities.environment import PASSWORD, register
from conversations.users import Users, known
from imports.environment import message_line, run_import
from pattern_tests import Asked, PatternTests, require_writes
from sobremesa.core.actor import UserId
from sobremesa.core.clock import instant
from sobremesa.core.ids import MessageId, RoomId
from sobremesa.domains.conversations import entities as con
from sobremesa.domains.conversations.entities import direct_claim
from sobremesa.table import Entity, Put, Registry, hex_part
from sobremesa.table.capacity import UNNAMED

REGISTRY = Registry.of(con)
FAR = 4_102_444_800
NOW = [instant(1_763_000_000_000 + number) for number in range(4)]
A, B = UserId("ana"), UserId("ben")
C, D, E = RoomId("c"), RoomId("d"), RoomId("e")
M = [MessageId(f"m{number}") for number in range(4)]
THUMB, APPLE = hex_part("👍"), hex_part("🍎")


class Dataset(NamedTuple):
    """Rows of every kind, at least two of each, so that a pattern can find too many."""

    heads: list[con.Conversation]
    seats: list[con.Participant]
    big: list[con.Participant]
    former: list[con.FormerSeat]
    claims: list[con.DirectClaim]
    messages: list[con.ConversationMessage]
    nonces: list[con.ConversationNonce]
    pins: list[con.ConversationPin]
    reactions: list[con.ConversationReaction]
    summaries: list[con.ConversationReactionSummary]

    def rows(self) -> list[Entity]:
        return [row for held in self for row in held]


def seat(room_id: RoomId, user_id: UserId, at: int | None) -> con.Participant:
    return con.Participant(room_id=room_id, user_id=user_id, last_message_at=None if at is None else NOW[at])


def create_dataset() -> Dataset:
    reactions = ((0, APPLE, A), (0, THUMB, A), (0, THUMB, B), (1, THUMB, A))
    return Dataset(
        heads=[con.Conversation(room_id=room_id, type="group") for room_id in (C, D, E)],
        seats=[seat(C, A, 1), seat(C, B, 3), seat(D, A, 2)],
        big=[seat(E, A, None), seat(E, B, None)],
        former=[con.FormerSeat(user_id=user_id, room_id=C, left_at=NOW[0]) for user_id in (A, B)],
        claims=[direct_claim(B, A, C), direct_claim(UserId("cleo"), A, D)],
        messages=[
            con.ConversationMessage(room_id=room_id, message_id=M[number], author_id=A, created_at=NOW[0])
            for number, room_id in enumerate((C, C, C, D))
        ],
        nonces=[
            con.ConversationNonce(room_id=C, user_id=user_id, nonce_hash="n", message_id=M[0], body_hash="b", ttl=FAR)
            for user_id in (A, B)
        ],
        pins=[
            con.ConversationPin(room_id=room_id, message_id=message_id, pinned_by=A, pinned_at=NOW[0])
            for room_id, message_id in ((C, M[0]), (C, M[2]), (D, M[3]))
        ],
        reactions=[
            con.ConversationReaction(
                room_id=C, message_id=M[number], emoji_hex=emoji, user_id=user_id, created_at=NOW[0]
            )
            for number, emoji, user_id in reactions
        ],
        summaries=[
            con.ConversationReactionSummary(room_id=room_id, message_id=M[number], emoji_hex=emoji, count=1)
            for room_id, number, emoji in ((C, 0, APPLE), (C, 0, THUMB), (C, 1, THUMB), (C, 2, THUMB), (D, 3, THUMB))
        ],
    )


READS: dict[str, Callable[[Dataset], Asked]] = {
    # The six questions of the document; the seventh pattern is the send
    "S3.1": lambda s: (con.conversation_by_id(room_id=D), [s.heads[1]]),
    "S3.2": lambda s: (con.conversations_of(user_id=A), [s.seats[0], s.seats[2], s.big[0]]),
    "S3.3": lambda s: (con.participants_of(room_id=C), s.seats[:2]),
    "S3.4": lambda s: (con.messages_in(room_id=C), s.messages[2::-1]),
    "S3.5": lambda s: (con.message_by_id(room_id=C, message_id=M[1]), [s.messages[1]]),
    "S3.6": lambda s: (con.messages_since(room_id=C, last_read=M[0]), s.messages[1:3]),
    # Beside those
    "CON.1": lambda s: (con.inbox_of(user_id=A), [s.seats[2], s.seats[0]]),
    "CON.2": lambda s: (con.big_groups_of(user_id=A), [s.big[0]]),
    "CON.3": lambda s: (con.seat_of(room_id=C, user_id=B), [s.seats[1]]),
    "CON.4": lambda s: (con.direct_between(lower=A, higher=B), [s.claims[0]]),
    "CON.5": lambda s: (con.former_seats_of(user_id=B), [s.former[1]]),
    "CON.6": lambda s: (con.CONVERSATIONS.nonce_in_room(room_id=C, user_id=B, nonce_hash="n"), [s.nonces[1]]),
    "CON.7": lambda s: (con.CONVERSATIONS.pins(room_id=C), [s.pins[1], s.pins[0]]),
    "CON.8": lambda s: (con.CONVERSATIONS.pin_by_key(room_id=C, message_id=M[2]), [s.pins[1]]),
    "CON.9": lambda s: (con.CONVERSATIONS.reactions_of_page(room_id=C, oldest=M[0], newest=M[1]), s.summaries[:3]),
    "CON.10": lambda s: (con.CONVERSATIONS.reactions_of_message(room_id=C, message_id=M[0]), s.summaries[:2]),
    "CON.11": lambda s: (
        con.CONVERSATIONS.reaction_by_key(room_id=C, message_id=M[0], emoji_hex=APPLE, user_id=A),
        [s.reactions[0]],
    ),
    "CON.12": lambda s: (con.CONVERSATIONS.reactors(room_id=C, message_id=M[0], emoji_hex=THUMB), s.reactions[1:3]),
    "CON.13": lambda s: (con.CONVERSATIONS.reactions(room_id=C), s.reactions),
    "CON.33": lambda s: (
        con.CONVERSATIONS.reactions_to(room_id=C, message_id=M[0]),
        [reaction for reaction in s.reactions if reaction.message_id == M[0]],
    ),
    "CON.14": lambda s: (
        con.everything_in(room_id=C),
        [*s.messages[:3], *s.nonces, *s.seats[:2], *s.pins[:2], *s.reactions, *s.summaries[:4]],
    ),
}


class TestPatterns(PatternTests):
    registry = REGISTRY
    reads = READS
    whole = ("CON.14",)

    def create_dataset(self) -> Dataset:
        return create_dataset()


async def test_every_declared_write_happens_and_none_is_undeclared(users: Users) -> None:
    app, talks = users.app, users.app.conversations
    dora = await register(app, "dora")
    [fred] = await known(app, "fred")
    filled = app.table.meter.totals()[UNNAMED].calls
    room_id = await users.group(dora, users.ana, users.ben)
    await app.conversations.rename(dora, room_id, name="Lunch")
    await app.conversations.participants.add(dora, room_id, users.cleo.user_id)
    await app.conversations.participants.change_role(dora, room_id, users.ben.user_id, role="admin")
    sent = await users.send(dora, room_id, "hello", nonce="n")
    await run_import(app, [message_line(room_id, fred)])
    await talks.edit(dora, room_id, sent.message_id, "Hello")
    await talks.react(users.ana, room_id, sent.message_id, "👍")
    await talks.pin(users.ana, room_id, sent.message_id)
    await talks.mark_read(users.ana, room_id, sent.message_id)
    await app.change_consumer.catch_up()
    await talks.delete_message(dora, room_id, sent.message_id)
    await app.conversations.participants.remove(dora, room_id, users.ana.user_id)
    foreign = con.Conversation(room_id=RoomId("foreign"), type="group")
    await app.table.write(Put(foreign))
    await app.table.write(Put(con.Participant(room_id=RoomId("foreign"), user_id=fred.user_id, role="admin")))
    await app.conversations.participants.remove(fred, RoomId("foreign"), fred.user_id)
    await app.accounts.delete_me(dora, password=PASSWORD)
    await app.jobs.run_pending(app.handlers)

    met = app.table.meter.totals()
    require_writes(REGISTRY, met)
    assert met[UNNAMED].calls - filled == 2, "two rows of the story are written by hand"
