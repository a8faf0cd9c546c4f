"""What is looked at before anything is written; the tables have the same rules as constraints."""

from __future__ import annotations

from sobremesa.core.errors import Forbidden, Invalid
from sobremesa.domains.records.views import Role

MAX_AMOUNT = 1_000_000_000_000


def role_of(context: str) -> Role:
    """The role of a party; Forbidden if records do not know it."""
    match context:
        case "buyer" | "seller" | "admin":
            return context
        case _:
            raise Forbidden


def check_texts(**texts: str | None) -> None:
    """PostgreSQL keeps every character but one."""
    for name, text in texts.items():
        if text is not None and "\0" in text:
            raise Invalid(f"The {name} has a null character.")


def check_money(amount: int, currency: str) -> None:
    """Invalid unless it is a positive amount of a currency."""
    if not 0 < amount <= MAX_AMOUNT:
        raise Invalid(f"An amount is 1 to {MAX_AMOUNT} minor units.")
    if len(currency) != 3 or not (currency.isascii() and currency.isalpha() and currency.isupper()):
        raise Invalid("A currency is three capital letters, as ISO 4217 has them.")
