"""The rules of e-mail addresses, usernames and passwords, and their normalized forms."""

from __future__ import annotations

import re
import unicodedata

from sobremesa.core.actor import DELETED_NAME
from sobremesa.core.errors import Invalid
from sobremesa.domains.accounts.confusables import latin_lookalike, mixes_scripts
from sobremesa.domains.accounts.errors import invalid

MAX_EMAIL = 254
MIN_USERNAME, MAX_USERNAME = 2, 32
MAX_DISPLAY_NAME = 80
MIN_PASSWORD, MAX_PASSWORD = 8, 256
MAX_DEVICE = 64

RESERVED = frozenset({DELETED_NAME, "everyone", "here", "me", "system", "admin"})

# The address is part of a key: a number sign is the separator there, and a leading dollar sign is reserved.
_LABEL = r"[^\W_](?:(?:[^\W_]|-){0,61}[^\W_])?"
_EMAIL = re.compile(rf"(?!\$)[^\s@#\"(),:;<>\[\]\\]{{1,64}}@{_LABEL}(?:\.{_LABEL})+")
_SIGNS = frozenset("_.-")
# Emoji and several scripts need the two joiners; Python calls them unprintable like the marks that reverse text.
_JOINERS = str.maketrans("", "", "\u200c\u200d")


def normal_email(text: str) -> str:
    """Return the normalized form of an e-mail address; Invalid if it is not one."""
    email = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text.strip()).lower())
    if len(email) > MAX_EMAIL or not email.isprintable() or not _EMAIL.fullmatch(email) or ".." in email:
        raise invalid("email", "Expected an e-mail address, name@domain")
    return email


def normal_username(text: str) -> str:
    """Return a username as it is displayed; Invalid if it breaks a rule or is reserved."""
    username = unicodedata.normalize("NFKC", text.strip())
    if folded(username) in RESERVED:
        raise invalid("username", "This name is reserved")
    if not MIN_USERNAME <= len(username) <= MAX_USERNAME:
        raise invalid("username", f"Expected {MIN_USERNAME} to {MAX_USERNAME} characters")
    if not all(map(_is_allowed, username)) or unicodedata.category(username[0])[0] == "M":
        raise invalid("username", "Expected letters, digits, '_', '.' and '-' only")
    if mixes_scripts(username):
        raise invalid("username", "Expected letters of one script, so that the name cannot be mistaken for another")
    if (lookalike := latin_lookalike(username)) is not None and folded(lookalike) in RESERVED:
        raise invalid("username", "This name is reserved")
    return username


def normal_display_name(text: str | None) -> str | None:
    """Return a display name as it is stored: any printable text on one line; None removes it."""
    if text is None:
        return None
    name = unicodedata.normalize("NFC", text.strip())
    if not 1 <= len(name) <= MAX_DISPLAY_NAME or not name.translate(_JOINERS).strip().isprintable():
        raise invalid("displayName", f"Expected 1 to {MAX_DISPLAY_NAME} printable characters")
    if not name.translate(_JOINERS).strip():
        raise invalid("displayName", "Expected more than invisible characters")
    return name


def folded(username: str) -> str:
    """Return the form that is compared: case-folded, without compatibility characters."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", username).casefold())


def lookalike_of(username: str) -> str | None:
    """Return the folded Latin name that this one looks like, which must be free too, or None."""
    lookalike = latin_lookalike(username)
    return None if lookalike is None else folded(lookalike)


def derive_username(text: str) -> str:
    """Return a valid username that is close to a text; of an address, only the part before the `@` is used."""
    spaced = re.sub(r"\s+", "_", unicodedata.normalize("NFKC", text.partition("@")[0]).strip())
    kept = "".join(filter(_is_allowed, spaced))[:MAX_USERNAME]
    while kept and unicodedata.category(kept[0])[0] == "M":
        kept = kept[1:]
    try:
        return normal_username(kept)
    except Invalid:
        return "user"


def check_password(password: str, field: str = "password") -> None:
    """Raise Invalid unless a password has an allowed length."""
    if not MIN_PASSWORD <= len(password) <= MAX_PASSWORD:
        raise invalid(field, f"Expected {MIN_PASSWORD} to {MAX_PASSWORD} characters")


def check_device(device: str | None) -> None:
    """Raise Invalid if the label of a device is too long."""
    if device is not None and len(device) > MAX_DEVICE:
        raise invalid("device", f"Expected at most {MAX_DEVICE} characters")


def _is_allowed(character: str) -> bool:
    return character in _SIGNS or unicodedata.category(character) in _LETTERS


_LETTERS = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Nd"})
