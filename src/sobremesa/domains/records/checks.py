"""Checks before a write; the tables have the same rules as constraints."""

from __future__ import annotations

from sobremesa.core.errors import Forbidden, Invalid
from sobremesa.domains.records.views import Role

MAX_AMOUNT = 1_000_000_000_000


def role_of(context: str) -> Role:
    """Return the role of a party; Forbidden if it is unknown."""
    match context:
        case "buyer" | "seller" | "admin":
            return context
        case _:
            raise Forbidden


def check_texts(**texts: str | None) -> None:
    """Refuse texts with a null character, which PostgreSQL cannot store."""
    for name, text in texts.items():
        if text is not None and "\0" in text:
            raise Invalid(f"The {name} has a null character.")


def check_money(amount: int, currency: str) -> None:
    """Refuse an amount that is not positive, or a currency code that is not valid."""
    if not 0 < amount <= MAX_AMOUNT:
        raise Invalid(f"An amount must be 1 to {MAX_AMOUNT} minor units.")
    if len(currency) != 3 or not (currency.isascii() and currency.isalpha() and currency.isupper()):
        raise Invalid("A currency must be three capital letters (ISO 4217).")
