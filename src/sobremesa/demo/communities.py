"""The communities and conversations of the demo."""

from __future__ import annotations

from typing import NamedTuple

from sobremesa.demo.users import NAMES


class Community(NamedTuple):
    """A server with its channels; channels are named `key/channel` everywhere else in the demo."""

    key: str
    name: str
    owner: str
    members: tuple[str, ...]
    admins: tuple[str, ...]
    colors: tuple[str, str]
    channels: tuple[tuple[str, str], ...]
    """Each with its topic."""


class Group(NamedTuple):
    """A group conversation; the first user created it."""

    key: str
    name: str
    members: tuple[str, ...]


COMMUNITIES = (
    Community(
        key="mesa",
        name="La Mesa Larga",
        owner="ana",
        members=("ana", "marta", "teo", "hugo", "pilar", "iker", "carmen", "noor"),
        admins=("marta",),
        colors=("#b5482f", "#ffe8d6"),
        channels=(
            ("general", "One long table, eleven smaller ones, and whoever is around them"),
            ("menu", "What there is today, and what there will be"),
            ("kitchen", "Stock, stoves and the dishwasher that has opinions"),
            ("service", "Covers, bookings, who is on"),
            ("suppliers", "What comes, when, and at which door"),
        ),
    ),
    Community(
        key="coop",
        name="Olmo Street Food Co-op",
        owner="ben",
        members=("ben", "ana", "pilar", "iker", "carmen", "lena", "hugo", "marta", "teo", "noor"),
        admins=("pilar", "carmen"),
        colors=("#2f6b4f", "#e3f5d8"),
        channels=(
            ("square", "The square: say hello, ask anything"),
            ("harvest", "What is ripe, what is late, what is too much"),
            ("deliveries", "Boxes, bicycles, and who has the key of the van"),
            ("recipes", "What to do with eleven kilos of chard"),
            ("assembly", "What we decide together, and how the vote went"),
        ),
    ),
    Community(
        key="studio",
        name="Paper Lantern Studio",
        owner="noor",
        members=("noor", "sami", "yuki", "ana", "teo"),
        admins=("sami",),
        colors=("#0f766e", "#d7fbf4"),
        channels=(
            ("desk", "Everything that has no other place"),
            ("standup", "Three lines each, before coffee"),
            ("shoots", "Light, lenses, and who carries the backdrop"),
            ("crit", "Kind and exact, in that order"),
            ("tools", "Fonts, printers, plotters and other animals"),
        ),
    ),
)

DIRECT = (
    ("ana", "marta"),
    ("ana", "ben"),
    ("ana", "noor"),
    ("ana", "pilar"),
    ("ana", "teo"),
    ("ana", "iker"),
    ("ana", "lena"),
    ("ben", "iker"),
    ("ben", "carmen"),
    ("noor", "sami"),
    ("lena", "pilar"),
)
GROUPS = (
    Group("lunch", "Sunday lunch", ("ana", "ben", "pilar", "hugo", "lena")),
    Group("keys", "Keys and alarms", ("ana", "marta", "teo")),
    Group("festival", "Harvest dinner", ("ben", "iker", "carmen", "ana", "noor")),
)

UNREAD = {
    "mesa/general": 3,
    "mesa/kitchen": 5,
    "mesa/service": 2,
    "coop/square": 7,
    "coop/recipes": 2,
    "studio/crit": 4,
    "with/ana/noor": 1,
    "with/ana/pilar": 2,
    "group/lunch": 3,
    "project/winter": 2,
}
"""The number of unread messages of the main login, by room; it has read all others."""


def members_of(room: str) -> tuple[str, ...]:
    """Return the members of a channel or conversation, by its name in the data of the demo."""
    kind, _, rest = room.partition("/")
    if kind == "with":
        return tuple(rest.split("/"))
    if kind == "group":
        return next(group.members for group in GROUPS if group.key == rest)
    return next((community.members for community in COMMUNITIES if community.key == kind), NAMES)


def owner_of(room: str) -> str | None:
    """Return the owner of the community of a channel; None for other rooms."""
    key = room.partition("/")[0]
    return next((community.owner for community in COMMUNITIES if community.key == key), None)
