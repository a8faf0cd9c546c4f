"""The users of the demo."""

from __future__ import annotations

from typing import NamedTuple

PASSWORD = "sobremesa-demo"  # noqa: S105 - the demo's public password; it listens on this machine only
ADMINISTRATOR = "carmen"
MAIN = "ana"
"""The main login: it reaches everything in the demo."""


class Person(NamedTuple):
    """A user of the demo."""

    name: str
    full: str
    does: str
    colours: tuple[str, str]
    """The colors of the avatar: background and letters."""
    sees: str = ""
    """What this login shows; users without it are not offered as logins."""

    @property
    def email(self) -> str:
        return email_of(self.name)


def email_of(name: str) -> str:
    """Return the email address of a user of the demo."""
    return f"{name}@sobremesa.example"


PEOPLE = (
    Person(
        "ana",
        "Ana Ruiz",
        "owns the restaurant",
        ("#b5482f", "#fff3e6"),
        "everything: three communities, offers to answer, a shoot to plan, unread news",
    ),
    Person(
        "ben",
        "Ben Adeyemi",
        "runs the co-op",
        ("#2f6b4f", "#f1fbe9"),
        "the co-op as its owner, and the seller's side of two inquiries",
    ),
    Person(
        "lena",
        "Lena Vogel",
        "moved here in autumn",
        ("#5a4a9c", "#f4f0ff"),
        "a newcomer's view: the co-op, one group, one inquiry",
    ),
    Person(
        "carmen",
        "Carmen Ortiz",
        "keeps everybody's books",
        ("#8a6d1d", "#fffbe6"),
        "the platform's administrator: a reported message waits for a decision",
    ),
    Person("marta", "Marta Salas", "cooks", ("#c0392b", "#fdf2e9")),
    Person("teo", "Teo Lindqvist", "waits at the tables", ("#1f5f8b", "#e8f6ff")),
    Person("hugo", "Hugo Marchetti", "bakes and pours", ("#6e4b3a", "#fbeee0")),
    Person("pilar", "Pilar Navarro", "founded the co-op in 1983", ("#96537a", "#fdeff6")),
    Person("iker", "Iker Etxeberria", "grows vegetables", ("#4d7c0f", "#f7fee7")),
    Person("noor", "Noor Haddad", "leads the studio", ("#0f766e", "#e6fffb")),
    Person("sami", "Sami Okonkwo", "draws and sets type", ("#374151", "#f3f4f6")),
    Person("yuki", "Yuki Tanabe", "photographs", ("#be185d", "#fff1f5")),
)
NAMES = tuple(person.name for person in PEOPLE)
LOGINS = tuple(person for person in PEOPLE if person.sees)
