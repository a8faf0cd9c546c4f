"""The threads of the demo: inquiries and projects, with cards, tabs, documents and expenses.

Their messages are in `texts/threads.txt`.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from sobremesa.demo.calendar import At
from sobremesa.demo.steps import (
    AddExpense,
    CreateCard,
    CreateDocument,
    FileIdOf,
    MoveCard,
    SentFile,
    SetStatus,
    Step,
    WriteTab,
)


class DemoThread(NamedTuple):
    """A thread, and the actions in it."""

    key: str
    kind: Literal["inquiry", "project"]
    created: str
    buyer: str
    seller: str
    steps: tuple[Step, ...]
    listing: str | None = None
    lbg: str | None = None
    leg: str | None = None
    city: str | None = None
    also: tuple[str, ...] = ()
    """Participants that the seller added."""


def euros(amount: int, note: str, **more: Any) -> dict[str, Any]:
    """Return the payload of an offer."""
    return {"amount": amount * 100, "currency": "EUR", "note": note} | more


_CONTRACT = (
    "Paper Lantern Studio photographs eight dishes and the room of La Mesa Larga on one morning, and delivers"
    " twelve pictures. La Mesa Larga pays 1,450 euros, half before and half after, and feeds"
    " everybody who holds something.\n\n"
    "The stew is served last. Whoever photographs it eats it."
)
_BRIEF = """**Winter menu**: pictures that smell of the kitchen.

For people who walk past the window and are not sure yet. Warm, close, nobody poses.

- twelve pictures for the menu and the window
- one for the wall beside the till
- light from the north window, ten to one

Whatever steams comes first. The stew comes last, and is eaten."""
_SHOTS = (
    "Smoked leek soup, steam",
    "The long table, empty",
    "Hugo's hands and the rye",
    "Squash with hazelnuts",
    "Quince, half eaten",
    "The egg: ninety seconds",
    "White bean stew, last",
    "Poster for the harvest dinner",
    "The wall beside the till",
)
_FILES = ("smoke-test.png", "north-window.png", "number-5.png", "shooting-day.txt")
_RELEASE = "Hugo Marchetti agrees that his hands are seen with bread in them, on paper and on screens, for three years."

WINTER = DemoThread(
    key="project/winter",
    kind="project",
    created="24 14:30",
    buyer="ana",
    seller="noor",
    lbg="la-mesa-larga",
    leg="winter-menu",
    city="Olmo Street",
    also=("yuki",),
    steps=(
        CreateCard(
            "24 14:50", "noor", "two days", "offer", euros(2400, "Two days, twenty pictures", expiresAt=At("21 18:00"))
        ),
        CreateCard(
            "23 10:50", "ana", "morning", "counter-offer", euros(1300, "One morning, and lunch"), answers="two days"
        ),
        CreateCard(
            "22 09:20",
            "noor",
            "agreed",
            "counter-offer",
            euros(1450, "One morning, twelve pictures"),
            answers="morning",
        ),
        MoveCard("22 12:40", "ana", "agreed", "accepted", {"note": "With pleasure, and with stew"}),
        WriteTab("21 10:00", "noor", "brief", {"text": _BRIEF}),
        CreateDocument("20 11:00", "noor", "Photographs for the winter menu", "contract", _CONTRACT, ("noor", "ana")),
        CreateCard("19 09:30", "noor", "first half", "payment-request", euros(725, "The first half")),
        MoveCard("18 15:00", "noor", "first half", "paid"),
        CreateCard(
            "17 10:10",
            "noor",
            "day",
            "booking",
            {"startsAt": At("8 10:00"), "endsAt": At("8 13:00"), "place": "La Mesa Larga, north window"},
        ),
        MoveCard("17 12:00", "ana", "day", "confirmed"),
        WriteTab(
            "15 16:00",
            "noor",
            "moodboard",
            {
                "entries": [
                    {"text": "Steam before sharpness"},
                    {"text": "The smoke test", "fileId": FileIdOf("smoke-test.png")},
                    {"text": "Wood, linen, hands"},
                    {"text": "The north window at eleven", "fileId": FileIdOf("north-window.png")},
                    {"text": "No parsley where there was no parsley"},
                ]
            },
        ),
        WriteTab("13 12:00", "noor", "shotlist", {"shots": [{"title": title, "done": False} for title in _SHOTS]}),
        WriteTab(
            "8 13:30",
            "noor",
            "shotlist",
            {
                "shots": [{"title": title, "done": True} for title in _SHOTS[:-2]]
                + [{"title": title, "done": False} for title in _SHOTS[-2:]]
            },
            2,
        ),
        CreateDocument("12 10:00", "noor", "Hands with bread", "release", _RELEASE, ("noor",)),
        AddExpense("11 09:00", "noor", "Linen, unbleached, four metres", 5_240, "props", ("ana", "approve")),
        AddExpense("9 18:00", "yuki", "Taxi with the big diffuser", 2_380, "travel", ("ana", "approve")),
        AddExpense("8 16:30", "yuki", "Second lunch", 1_650, "food", ("ana", "reject")),
        MoveCard("8 14:00", "ana", "day", "completed"),
        WriteTab("4 10:50", "noor", "files", {"files": [SentFile(name) for name in _FILES]}),
        CreateCard(
            "6 11:00",
            "ana",
            "poster",
            "amendment",
            {"title": "A poster, too", "text": "Sami draws a poster for the harvest dinner, for 180 euros more."},
        ),
        MoveCard("6 13:30", "noor", "poster", "accepted"),
        CreateCard(
            "4 10:20", "noor", "selection", "delivery", {"title": "Fourteen pictures", "note": "You keep twelve"}
        ),
        MoveCard("4 11:30", "ana", "selection", "revision-requested", {"note": "Number 5 a little warmer?"}),
        MoveCard(
            "2 16:00",
            "noor",
            "selection",
            "submitted",
            {"title": "Fourteen pictures", "note": "Number 5 is warmer now"},
        ),
        CreateCard(
            "1 09:40", "noor", "second half", "payment-request", euros(725, "The second half, when you are happy")
        ),
        AddExpense("1 12:00", "noor", "Proofs on the good paper", 3_190, "print"),
        CreateCard(
            "-114m",
            "noor",
            "prints",
            "offer",
            euros(220, "Forty numbered prints of the poster", expiresAt=At("-4 18:00")),
        ),
        CreateCard(
            "-110m",
            "noor",
            "hanging",
            "booking",
            {"startsAt": At("-2 16:00"), "place": "Olmo Street, with Iker's ladder", "note": "We hang the poster"},
        ),
        CreateCard(
            "-100m",
            "noor",
            "wall",
            "amendment",
            {"title": "The wall picture, larger", "text": "Number 3 goes to one metre twenty, for 60 euros more."},
        ),
    ),
)

LABELS = DemoThread(
    key="project/labels",
    kind="project",
    created="25 13:30",
    buyer="ben",
    seller="noor",
    lbg="olmo-street-coop",
    leg="jar-labels",
    also=("sami",),
    steps=(
        CreateCard("25 14:30", "noor", "labels", "offer", euros(320, "400 labels, four seasons, one goat")),
        MoveCard("25 19:00", "ben", "labels", "accepted", {"note": "Carmen smiled"}),
        WriteTab(
            "24 10:00", "noor", "brief", {"text": "Labels for 400 jars that survive a cellar, the number on top."}
        ),
        CreateCard("2 15:00", "noor", "proof", "delivery", {"title": "Proof of the winter label"}),
        MoveCard("1 16:50", "ben", "proof", "accepted"),
    ),
)

INQUIRIES = (
    DemoThread(
        key="inquiry/boxes",
        kind="inquiry",
        created="22 08:20",
        buyer="ana",
        seller="iker",
        listing="mixed-vegetables-20kg",
        steps=(
            CreateCard("21 07:30", "iker", "winter", "offer", euros(46, "Twenty kilos, twice a week, until March")),
            MoveCard("21 09:00", "ana", "winter", "accepted"),
        ),
    ),
    DemoThread(
        key="inquiry/portrait",
        kind="inquiry",
        created="12 12:50",
        buyer="ana",
        seller="yuki",
        listing="portrait-session",
        steps=(
            CreateCard("12 13:30", "yuki", "combed", "offer", euros(260, "An hour, everybody combed")),
            MoveCard("12 14:10", "ana", "combed", "declined", {"note": "Hugo does not comb"}),
            CreateCard("11 09:00", "yuki", "uncombed", "offer", euros(240, "As you are", expiresAt=At("4 20:00"))),
        ),
    ),
    DemoThread(
        key="inquiry/share",
        kind="inquiry",
        created="18 18:50",
        buyer="lena",
        seller="ben",
        listing="half-share",
        steps=(
            CreateCard("18 19:40", "ben", "share", "offer", euros(28, "Half a share, every second week")),
            MoveCard("18 20:00", "lena", "share", "accepted"),
            SetStatus("3 09:00", "lena", "archived"),
        ),
    ),
    DemoThread(
        key="inquiry/van",
        kind="inquiry",
        created="9 10:20",
        buyer="hugo",
        seller="ben",
        listing="van-before-dawn",
        steps=(
            CreateCard("9 11:00", "ben", "fuel", "offer", euros(90, "A month, with fuel")),
            MoveCard("9 11:05", "ben", "fuel", "withdrawn"),
            CreateCard("9 11:10", "ben", "bread", "offer", euros(60, "A month, and bread for the packers")),
        ),
    ),
    DemoThread(
        key="inquiry/bread",
        kind="inquiry",
        created="6 11:50",
        buyer="ana",
        seller="hugo",
        listing="small-loaves",
        steps=(
            CreateCard("5 08:00", "hugo", "loaves", "offer", euros(64, "Forty small ones. The big one is a gift")),
            CreateCard(
                "5 08:10", "hugo", "oven", "booking", {"startsAt": At("-6 04:00"), "place": "Both ovens, please"}
            ),
        ),
    ),
)
THREADS = (WINTER, LABELS, *INQUIRIES)
