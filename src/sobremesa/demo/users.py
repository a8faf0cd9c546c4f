"""The users of the demo."""

from __future__ import annotations

from typing import NamedTuple

PASSWORD = "sobremesa-demo"  # noqa: S105 - the demo's public password; it listens on this machine only
ADMINISTRATOR = "carmen"
MAIN = "ana"
"""The main login: it reaches everything in the demo."""


class DemoUser(NamedTuple):
    """A user of the demo."""

    name: str
    full_name: str
    colors: tuple[str, str]
    """The colors of the avatar: background and letters."""
    sees: str = ""
    """What this login shows; users without it are not offered as logins."""

    @property
    def email(self) -> str:
        return email_of(self.name)


def email_of(name: str) -> str:
    """Return the email address of a user of the demo."""
    return f"{name}@sobremesa.example"


USERS = (
    DemoUser(
        "ana",
        "Ana Ruiz",
        ("#b5482f", "#fff3e6"),
        "everything: three communities, offers to answer, a shoot to plan, unread news",
    ),
    DemoUser(
        "ben",
        "Ben Adeyemi",
        ("#2f6b4f", "#f1fbe9"),
        "the co-op as its owner, and the seller's side of two inquiries",
    ),
    DemoUser(
        "lena",
        "Lena Vogel",
        ("#5a4a9c", "#f4f0ff"),
        "a newcomer's view: the co-op, one group, one inquiry",
    ),
    DemoUser(
        "carmen",
        "Carmen Ortiz",
        ("#8a6d1d", "#fffbe6"),
        "the platform's administrator: a reported message waits for a decision",
    ),
    DemoUser("marta", "Marta Salas", ("#c0392b", "#fdf2e9")),
    DemoUser("teo", "Teo Lindqvist", ("#1f5f8b", "#e8f6ff")),
    DemoUser("hugo", "Hugo Marchetti", ("#6e4b3a", "#fbeee0")),
    DemoUser("pilar", "Pilar Navarro", ("#96537a", "#fdeff6")),
    DemoUser("iker", "Iker Etxeberria", ("#4d7c0f", "#f7fee7")),
    DemoUser("noor", "Noor Haddad", ("#0f766e", "#e6fffb")),
    DemoUser("sami", "Sami Okonkwo", ("#374151", "#f3f4f6")),
    DemoUser("yuki", "Yuki Tanabe", ("#be185d", "#fff1f5")),
)
NAMES = tuple(user.name for user in USERS)
LOGINS = tuple(user for user in USERS if user.sees)
