"""What is bought and sold in the demo: inquiries and projects, their cards, tabs, documents and expenses.

Each step knows how it is done. What is said in between stands in `plays/dealings.txt`.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, Protocol

from sobremesa.demo.calendar import At, dated
from sobremesa.demo.world import World
from sobremesa.records.views import Decision, DocumentKind
from sobremesa.threads.entities import TabName


class Step(Protocol):
    """Something that happened in a thread."""

    @property
    def when(self) -> str: ...

    async def do(self, world: World, room: str) -> None: ...


class Card(NamedTuple):
    """Somebody made a card; `answers` names the card that it answers."""

    when: str
    who: str
    label: str
    type: str
    payload: dict[str, Any]
    answers: str | None = None

    async def do(self, world: World, room: str) -> None:
        payload = dated(self.payload, world.calendar)
        if self.answers is not None:
            payload["answers"] = world.cards[f"{room} {self.answers}"]
        room_id = world.places[room].room_id
        made = await world.app.cards.create(world.people[self.who], room_id, type=self.type, payload=payload)
        world.cards[f"{room} {self.label}"] = made.message_id
        world.last.setdefault(room, []).append(made.message_id)


class Move(NamedTuple):
    """Somebody moved a card."""

    when: str
    who: str
    label: str
    to: str
    payload: dict[str, Any] | None = None

    async def do(self, world: World, room: str) -> None:
        actor, room_id = world.people[self.who], world.places[room].room_id
        card = await world.app.cards.get(actor, room_id, world.cards[f"{room} {self.label}"])
        await world.app.cards.move(
            actor, room_id, card.message_id, to=self.to, version=card.version, payload=self.payload
        )


class Show(NamedTuple):
    """Somebody wrote a tab."""

    when: str
    who: str
    tab: TabName
    content: dict[str, Any] | list[Any]
    version: int = 1

    async def do(self, world: World, room: str) -> None:
        content = dated(self.content, world.calendar)
        actor, room_id = world.people[self.who], world.places[room].room_id
        await world.app.tabs.put(actor, room_id, self.tab, content, source_version=self.version)


class Document(NamedTuple):
    """Somebody wrote a document, and these signed it."""

    when: str
    who: str
    title: str
    kind: DocumentKind
    body: str
    signed_by: tuple[str, ...] = ()

    async def do(self, world: World, room: str) -> None:
        records, room_id = await world.app.archive.records(), world.places[room].room_id
        made = await records.create_document(
            world.people[self.who], room_id, title=self.title, kind=self.kind, body=self.body
        )
        for name in self.signed_by:
            await records.sign(world.people[name], room_id, made.document_id, version=1)


class Expense(NamedTuple):
    """Somebody spent something, and the other side said what it thinks of it."""

    when: str
    who: str
    title: str
    cents: int
    category: str
    decided: tuple[str, Decision] | None = None

    async def do(self, world: World, room: str) -> None:
        records, room_id = await world.app.archive.records(), world.places[room].room_id
        spent = await records.add_expense(
            world.people[self.who],
            room_id,
            title=self.title,
            amount=self.cents,
            currency="EUR",
            category=self.category,
            incurred_on=world.calendar.day(self.when).date(),
        )
        if self.decided is not None:
            name, decision = self.decided
            await records.decide_expense(
                world.people[name], room_id, spent.expense_id, decision=decision, version=spent.version
            )


class Status(NamedTuple):
    """Somebody archived a thread."""

    when: str
    who: str
    status: Literal["archived"]

    async def do(self, world: World, room: str) -> None:
        await world.app.threads.set_status(world.people[self.who], world.places[room].room_id, self.status)


class Dealing(NamedTuple):
    """A thread, and what happened in it."""

    key: str
    kind: Literal["inquiry", "project"]
    begun: str
    buyer: str
    seller: str
    steps: tuple[Step, ...]
    listing: str | None = None
    lbg: str | None = None
    leg: str | None = None
    city: str | None = None
    also: tuple[str, ...] = ()
    """Who the seller took in."""


def euros(amount: int, note: str, **more: Any) -> dict[str, Any]:
    """What an offer holds."""
    return {"amount": amount * 100, "currency": "EUR", "note": note} | more


_CONTRACT = (
    "Paper Lantern Studio photographs eight dishes and the room of La Mesa Larga on one morning, and delivers"
    " twelve pictures. La Mesa Larga pays 1,450 euros, half before and half after, and feeds"
    " everybody who holds something.\n\n"
    "The stew is served last. Whoever photographs it eats it."
)
_RELEASE = "Hugo Marchetti agrees that his hands are seen with bread in them, on paper and on screens, for three years."

WINTER = Dealing(
    key="project/winter",
    kind="project",
    begun="24 14:30",
    buyer="ana",
    seller="noor",
    lbg="la-mesa-larga",
    leg="winter-menu",
    city="Olmo Street",
    also=("yuki",),
    steps=(
        Card(
            "24 14:50", "noor", "two days", "offer", euros(2400, "Two days, twenty pictures", expiresAt=At("21 18:00"))
        ),
        Card("23 10:50", "ana", "morning", "counter-offer", euros(1300, "One morning, and lunch"), answers="two days"),
        Card(
            "22 09:20",
            "noor",
            "agreed",
            "counter-offer",
            euros(1450, "One morning, twelve pictures"),
            answers="morning",
        ),
        Move("22 12:40", "ana", "agreed", "accepted", {"note": "With pleasure, and with stew"}),
        Show(
            "21 10:00",
            "noor",
            "brief",
            {
                "title": "Winter menu",
                "goal": "Pictures that smell of the kitchen",
                "audience": "People who walk past the window and are not sure yet",
                "tone": "Warm, close, nobody poses",
                "deliverables": ["12 pictures for menu and window", "1 for the wall"],
                "deadline": At("-5 12:00"),
            },
        ),
        Document("20 11:00", "noor", "Photographs for the winter menu", "contract", _CONTRACT, ("noor", "ana")),
        Card("19 09:30", "noor", "first half", "payment-request", euros(725, "The first half")),
        Move("18 15:00", "noor", "first half", "paid"),
        Card(
            "17 10:10",
            "noor",
            "day",
            "booking",
            {"startsAt": At("8 10:00"), "endsAt": At("8 13:00"), "place": "La Mesa Larga, north window"},
        ),
        Move("17 12:00", "ana", "day", "confirmed"),
        Show(
            "15 16:00",
            "noor",
            "moodboard",
            {
                "colours": ["#5b3a21", "#bc6c25", "#dda15e", "#283618"],
                "notes": ["Steam before sharpness", "Wood, linen, hands", "No parsley where there was no parsley"],
                "references": [
                    {"title": "Smoke test, number 7", "why": "Marta said that it is not terrible"},
                    {"title": "The north window at eleven", "why": "Like milk"},
                ],
            },
        ),
        Show(
            "13 12:00",
            "noor",
            "shotlist",
            {
                "shots": [
                    {"number": 1, "title": "Smoked leek soup, steam", "at": "10:00", "done": True},
                    {"number": 2, "title": "The long table, empty", "at": "10:20", "done": True},
                    {"number": 3, "title": "Hugo's hands and the rye", "at": "10:45", "done": True},
                    {"number": 4, "title": "Squash with hazelnuts", "at": "11:10", "done": True},
                    {"number": 5, "title": "Quince, half eaten", "at": "11:30", "done": True},
                    {"number": 6, "title": "The egg: ninety seconds", "at": "11:50", "done": True},
                    {"number": 7, "title": "White bean stew, last", "at": "12:20", "done": True},
                    {"number": 8, "title": "Poster for the harvest dinner", "at": None, "done": False},
                ]
            },
        ),
        Document("12 10:00", "noor", "Hands with bread", "release", _RELEASE, ("noor",)),
        Expense("11 09:00", "noor", "Linen, unbleached, four metres", 5_240, "props", ("ana", "approve")),
        Expense("9 18:00", "yuki", "Taxi with the big diffuser", 2_380, "travel", ("ana", "approve")),
        Expense("8 16:30", "yuki", "Second lunch", 1_650, "food", ("ana", "reject")),
        Move("8 14:00", "ana", "day", "completed"),
        Show(
            "7 17:30",
            "noor",
            "files",
            {
                "folders": [
                    {"name": "Selection", "files": ["01-leek.tif", "02-table.tif", "03-hands.tif"]},
                    {"name": "Menu card", "files": ["menu-round-3.pdf"]},
                    {"name": "Poster", "files": ["forty-one-hands.pdf"]},
                ]
            },
        ),
        Card(
            "6 11:00",
            "ana",
            "poster",
            "amendment",
            {"title": "A poster, too", "text": "Sami draws a poster for the harvest dinner, for 180 euros more."},
        ),
        Move("6 13:30", "noor", "poster", "accepted"),
        Card("4 10:20", "noor", "selection", "delivery", {"title": "Fourteen pictures", "note": "You keep twelve"}),
        Move("4 11:30", "ana", "selection", "revision-requested", {"note": "Number 5 a little warmer?"}),
        Move(
            "2 16:00",
            "noor",
            "selection",
            "submitted",
            {"title": "Fourteen pictures", "note": "Number 5 is warmer now"},
        ),
        Card("1 09:40", "noor", "second half", "payment-request", euros(725, "The second half, when you are happy")),
        Expense("1 12:00", "noor", "Proofs on the good paper", 3_190, "print"),
        Card(
            "-114m",
            "noor",
            "prints",
            "offer",
            euros(220, "Forty numbered prints of the poster", expiresAt=At("-4 18:00")),
        ),
        Card(
            "-110m",
            "noor",
            "hanging",
            "booking",
            {"startsAt": At("-2 16:00"), "place": "Olmo Street, with Iker's ladder", "note": "We hang the poster"},
        ),
        Card(
            "-100m",
            "noor",
            "wall",
            "amendment",
            {"title": "The wall picture, larger", "text": "Number 3 goes to one metre twenty, for 60 euros more."},
        ),
    ),
)

LABELS = Dealing(
    key="project/labels",
    kind="project",
    begun="25 13:30",
    buyer="ben",
    seller="noor",
    lbg="olmo-street-coop",
    leg="jar-labels",
    also=("sami",),
    steps=(
        Card("25 14:30", "noor", "labels", "offer", euros(320, "400 labels, four seasons, one goat")),
        Move("25 19:00", "ben", "labels", "accepted", {"note": "Carmen smiled"}),
        Show(
            "24 10:00", "noor", "brief", {"title": "Labels for 400 jars", "must": ["survive a cellar", "number on top"]}
        ),
        Card("2 15:00", "noor", "proof", "delivery", {"title": "Proof of the winter label"}),
        Move("1 16:50", "ben", "proof", "accepted"),
    ),
)

INQUIRIES = (
    Dealing(
        key="inquiry/boxes",
        kind="inquiry",
        begun="22 08:20",
        buyer="ana",
        seller="iker",
        listing="mixed-vegetables-20kg",
        steps=(
            Card("21 07:30", "iker", "winter", "offer", euros(46, "Twenty kilos, twice a week, until March")),
            Move("21 09:00", "ana", "winter", "accepted"),
        ),
    ),
    Dealing(
        key="inquiry/portrait",
        kind="inquiry",
        begun="12 12:50",
        buyer="ana",
        seller="yuki",
        listing="portrait-session",
        steps=(
            Card("12 13:30", "yuki", "combed", "offer", euros(260, "An hour, everybody combed")),
            Move("12 14:10", "ana", "combed", "declined", {"note": "Hugo does not comb"}),
            Card("11 09:00", "yuki", "uncombed", "offer", euros(240, "As you are", expiresAt=At("4 20:00"))),
        ),
    ),
    Dealing(
        key="inquiry/share",
        kind="inquiry",
        begun="18 18:50",
        buyer="lena",
        seller="ben",
        listing="half-share",
        steps=(
            Card("18 19:40", "ben", "share", "offer", euros(28, "Half a share, every second week")),
            Move("18 20:00", "lena", "share", "accepted"),
            Status("3 09:00", "lena", "archived"),
        ),
    ),
    Dealing(
        key="inquiry/van",
        kind="inquiry",
        begun="9 10:20",
        buyer="hugo",
        seller="ben",
        listing="van-before-dawn",
        steps=(
            Card("9 11:00", "ben", "fuel", "offer", euros(90, "A month, with fuel")),
            Move("9 11:05", "ben", "fuel", "withdrawn"),
            Card("9 11:10", "ben", "bread", "offer", euros(60, "A month, and bread for the packers")),
        ),
    ),
    Dealing(
        key="inquiry/bread",
        kind="inquiry",
        begun="6 11:50",
        buyer="ana",
        seller="hugo",
        listing="small-loaves",
        steps=(
            Card("5 08:00", "hugo", "loaves", "offer", euros(64, "Forty small ones. The big one is a gift")),
            Card("5 08:10", "hugo", "oven", "booking", {"startsAt": At("-6 04:00"), "place": "Both ovens, please"}),
        ),
    ),
)
DEALINGS = (WINTER, LABELS, *INQUIRIES)
