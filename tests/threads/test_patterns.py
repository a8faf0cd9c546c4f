"""Every declared access pattern of threads finds its rows and no others, and every declared write happens."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from imports.environment import message_line, run_import
from pattern_tests import OPENING, Asked, PatternTests, writes_of
from sobremesa.app import Sobremesa
from sobremesa.core.actor import UserId
from sobremesa.core.clock import instant
from sobremesa.core.ids import MessageId, RoomId
from sobremesa.domains.threads import entities as thr
from sobremesa.table import Delete, Entity, Registry, hex_part
from threads.conftest import Ahead
from threads.environment import Deal, at, strike_deal

REGISTRY = Registry.of(thr)
FAR = 4_102_444_800
A, B = UserId("ana"), UserId("ben")
T, U, V = RoomId("t"), RoomId("u"), RoomId("v")
G, H = thr.LbgId("g"), thr.LbgId("h")
E, F = thr.LegId("e"), thr.LegId("f")
L = thr.ListingId("l")
THUMB, APPLE = hex_part("👍"), hex_part("🍎")
M = [MessageId(f"m{number}") for number in range(4)]


def day(number: int) -> Any:
    return instant(1_763_000_000_000 + number * 86_400_000)


class Dataset(NamedTuple):
    """Rows of every kind, at least two of each, so that a pattern could find too much."""

    threads: list[thr.Thread]
    references: list[thr.ThreadReference]
    places: list[thr.Participant]
    former: list[thr.FormerParticipant]
    messages: list[thr.ThreadMessage]
    pointers: list[thr.MessagePointer]
    nonces: list[thr.ThreadNonce]
    pins: list[thr.ThreadPin]
    reactions: list[thr.ThreadReaction]
    summaries: list[thr.ThreadReactionSummary]
    cards: list[thr.Card]
    tabs: list[thr.Tab]
    claims: list[thr.InquiryClaim]

    def rows(self) -> list[Entity]:
        return [row for held in self for row in held]


def create_dataset() -> Dataset:
    def thread(room_id: RoomId, number: int, **about: Any) -> thr.Thread:
        return thr.Thread(
            room_id=room_id,
            kind="project",
            buyer_user_id=A,
            seller_user_id=B,
            participants=[A, B],
            created_at=day(number),
            **about,
        )

    def place(room_id: RoomId, user_id: UserId, number: int) -> thr.Participant:
        return thr.Participant(
            room_id=room_id, user_id=user_id, role_context="buyer", joined_at=day(0), last_message_at=day(number)
        )

    def message(room_id: RoomId, number: int) -> thr.ThreadMessage:
        return thr.ThreadMessage(
            room_id=room_id, message_id=M[number], author_id=A, iso=day(number), content=str(number)
        )

    def reaction(message_id: MessageId, emoji_hex: str, user_id: UserId) -> thr.ThreadReaction:
        return thr.ThreadReaction(
            room_id=T, message_id=message_id, emoji_hex=emoji_hex, user_id=user_id, created_at=day(0)
        )

    def summary(room_id: RoomId, number: int, emoji_hex: str) -> thr.ThreadReactionSummary:
        return thr.ThreadReactionSummary(room_id=room_id, message_id=M[number], emoji_hex=emoji_hex, count=1)

    def card(room_id: RoomId, number: int) -> thr.Card:
        return thr.Card(
            room_id=room_id, message_id=M[number], type="offer", state="open", created_by=A, created_as="buyer"
        )

    return Dataset(
        threads=[
            thread(T, 1, lbg_id=G, leg_id=E),
            thread(U, 2, lbg_id=G),
            thread(V, 3, leg_id=E),
            thread(RoomId("w"), 4, lbg_id=H, leg_id=F),
        ],
        references=[
            thr.ThreadReference(room_id=T, leg_id=E, created_at=day(1)),
            thr.ThreadReference(room_id=RoomId("w"), leg_id=F, created_at=day(4)),
        ],
        places=[place(T, A, 1), place(U, A, 3), place(V, A, 2), place(T, B, 1)],
        former=[
            thr.FormerParticipant(user_id=A, room_id=RoomId("old"), left_at=day(0)),
            thr.FormerParticipant(user_id=B, room_id=RoomId("old"), left_at=day(0)),
        ],
        messages=[message(T, 0), message(T, 1), message(T, 2), message(U, 3)],
        pointers=[thr.MessagePointer(room_id=T, message_id=M[number], iso=day(number)) for number in (0, 1)],
        nonces=[
            thr.ThreadNonce(room_id=T, user_id=user_id, nonce_hash="n", message_id=M[0], body_hash="b", ttl=FAR)
            for user_id in (A, B)
        ],
        pins=[
            thr.ThreadPin(room_id=room_id, message_id=M[number], pinned_by=A, pinned_at=day(0))
            for room_id, number in ((T, 0), (T, 2), (U, 3))
        ],
        reactions=[
            reaction(M[0], APPLE, A),
            reaction(M[0], THUMB, A),
            reaction(M[0], THUMB, B),
            reaction(M[1], THUMB, A),
        ],
        summaries=[
            summary(T, 0, APPLE),
            summary(T, 0, THUMB),
            summary(T, 1, THUMB),
            summary(T, 2, THUMB),
            summary(U, 3, THUMB),
        ],
        cards=[card(T, 0), card(T, 2), card(U, 3)],
        tabs=[
            thr.Tab(room_id=T, tab="brief", content={"a": 1}, source_version=1),
            thr.Tab(room_id=T, tab="docs", content={"b": 1}, source_version=1),
            thr.Tab(room_id=U, tab="brief", content={"c": 1}, source_version=1),
        ],
        claims=[
            thr.InquiryClaim(buyer_user_id=A, seller_user_id=B, listing_id=L, room_id=T),
            thr.InquiryClaim(buyer_user_id=B, seller_user_id=A, listing_id=L, room_id=U),
        ],
    )


READS: dict[str, Callable[[Dataset], Asked]] = {
    # The documented patterns
    "S0.1": lambda s: (thr.thread_by_id(room_id=U), [s.threads[1]]),
    "S0.2": lambda s: (thr.participant_of(room_id=T, user_id=B), [s.places[3]]),
    "S0.3": lambda s: (thr.messages_in(room_id=T), s.messages[2::-1]),
    "S0.4": lambda s: (thr.card_by_id(room_id=T, message_id=M[2]), [s.cards[1]]),
    "S0.5": lambda s: (thr.tab_by_name(room_id=T, tab="docs"), [s.tabs[1]]),
    "S0.6": lambda s: (thr.inbox_of(user_id=A), [s.places[1], s.places[2], s.places[0]]),
    "S0.7": lambda s: (thr.threads_of_lbg(lbg_id=G), [s.threads[1], s.threads[0]]),
    "S0.8": lambda s: (thr.threads_of_leg(leg_id=E), [s.threads[2], s.references[0]]),
    # The others
    "THR.1": lambda s: (thr.participants_in(room_id=T), [s.places[0], s.places[3]]),
    "THR.15": lambda s: (thr.reference_of(room_id=s.references[0].room_id, leg_id=E), [s.references[0]]),
    "THR.2": lambda s: (thr.inquiry_of(buyer_user_id=B, seller_user_id=A, listing_id=L), [s.claims[1]]),
    "THR.3": lambda s: (thr.former_threads_of(user_id=A), s.former[:1]),
    "THR.4": lambda s: (thr.cards_in(room_id=T), [s.cards[1], s.cards[0]]),
    "THR.5": lambda s: (thr.panel_of(room_id=T), s.tabs[:2]),
    "THR.6": lambda s: (thr.message_by_key(room_id=T, iso=day(1), message_id=M[1]), [s.messages[1]]),
    "THR.7": lambda s: (thr.THREADS.nonce_in_room(room_id=T, user_id=B, nonce_hash="n"), [s.nonces[1]]),
    "THR.8": lambda s: (thr.THREADS.pins(room_id=T), [s.pins[1], s.pins[0]]),
    "THR.9": lambda s: (thr.THREADS.pin_by_key(room_id=T, message_id=M[2]), [s.pins[1]]),
    "THR.10": lambda s: (thr.THREADS.reactions_of_page(room_id=T, oldest=M[0], newest=M[1]), s.summaries[:3]),
    "THR.11": lambda s: (thr.THREADS.reactions_of_message(room_id=T, message_id=M[0]), s.summaries[:2]),
    "THR.12": lambda s: (
        thr.THREADS.reaction_by_key(room_id=T, message_id=M[0], emoji_hex=APPLE, user_id=A),
        [s.reactions[0]],
    ),
    "THR.13": lambda s: (thr.THREADS.reactors(room_id=T, message_id=M[0], emoji_hex=THUMB), s.reactions[1:3]),
    "THR.14": lambda s: (thr.THREADS.reactions(room_id=T), s.reactions),
    "THR.17": lambda s: (thr.pointer_to(room_id=T, message_id=M[1]), [s.pointers[1]]),
    "THR.16": lambda s: (thr.THREADS.reactions_to(room_id=T, message_id=M[0]), s.reactions[:3]),
}


class TestPatterns(PatternTests):
    registry = REGISTRY
    reads = READS
    whole = ("S0.6", "S0.7", "S0.8")

    def create_dataset(self) -> Dataset:
        return create_dataset()


# Every write


async def story(deal: Deal, clock: Ahead) -> None:
    """Call every method of threads."""
    app, thread_id = deal.app, deal.thread_id
    rooms, participants = app.threads, app.threads.participants
    await run_import(app, [message_line(thread_id, deal.stranger)])
    message = await deal.send(deal.buyer, "hello", nonce="n")
    await rooms.edit(deal.buyer, thread_id, message.message_id, "hello there")
    await rooms.react(deal.seller, thread_id, message.message_id, "👍")
    await rooms.pin(deal.seller, thread_id, message.message_id)
    await rooms.mark_read(deal.seller, thread_id, message.message_id)
    await rooms.delete_message(deal.buyer, thread_id, message.message_id)
    await participants.change(deal.buyer, thread_id, deal.seller.user_id, blocked_until=at(clock.now_ms() + 1000))
    guest = await deal.join("gus", "buyer")
    await app.threads.tabs.put(deal.buyer, thread_id, "brief", {}, source_version=1)
    await app.threads.cards.create(deal.buyer, thread_id, type="offer", payload={"amount": 1, "currency": "EUR"})
    await participants.remove(guest, thread_id, guest.user_id)
    await app.table.write(
        Delete(thr.participant_of(room_id=thread_id, user_id=deal.admin.user_id)), pattern=thr.clean_up
    )
    await deal.send(deal.buyer, "and so the list of participants is repaired")
    await deal.send(deal.buyer, "which copies the thread into the rows of its participants")
    await app.threads.set_data(deal.buyer, thread_id, {"order": 1})
    await app.threads.set_status(deal.buyer, thread_id, "locked")


async def test_every_declared_write_happens_in_one_story_and_none_goes_without_a_name(
    app: Sobremesa, clock: Ahead
) -> None:
    deal = await strike_deal(app)
    known = app.table.meter.totals()
    await story(deal, clock)
    met = app.table.meter.totals()

    writes = writes_of(REGISTRY)
    assert writes - set(met) == set()
    unnamed = {id: usage.calls for id, usage in met.items() if "." not in id and id not in OPENING}
    assert unnamed == {id: usage.calls + 1 for id, usage in known.items() if id in unnamed}, (
        "one participant is written by the test itself"
    )


def test_the_rows_of_the_scene_are_different() -> None:
    assert len({row.own_key().raw for row in create_dataset().rows()}) == len(create_dataset().rows())
