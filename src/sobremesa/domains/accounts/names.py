"""Names: what an e-mail address, a user name and a password may look like, and the form that makes each unique."""

from __future__ import annotations

import re
import unicodedata

from sobremesa.core.actor import DELETED_NAME
from sobremesa.core.errors import Invalid
from sobremesa.domains.accounts.confusables import latin_lookalike, mixes_scripts
from sobremesa.domains.accounts.errors import invalid

MAX_EMAIL = 254
MIN_USERNAME, MAX_USERNAME = 2, 32
MIN_PASSWORD, MAX_PASSWORD = 8, 256
MAX_DEVICE = 64

RESERVED = frozenset({DELETED_NAME, "everyone", "here", "me", "system", "admin"})

# A number sign would break the key that the address stands in; a leading dollar sign is reserved there.
_LABEL = r"[^\W_](?:(?:[^\W_]|-){0,61}[^\W_])?"
_EMAIL = re.compile(rf"(?!\$)[^\s@#\"(),:;<>\[\]\\]{{1,64}}@{_LABEL}(?:\.{_LABEL})+")
_SIGNS = frozenset("_.-")


def normal_email(text: str) -> str:
    """The one form of an e-mail address; Invalid if it cannot be one."""
    email = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text.strip()).lower())
    if len(email) > MAX_EMAIL or not email.isprintable() or not _EMAIL.fullmatch(email) or ".." in email:
        raise invalid("email", "Expected an e-mail address, name@domain")
    return email


def normal_username(text: str) -> str:
    """A user name as it is shown; Invalid if it breaks a rule, or is one of those that mean something else."""
    username = unicodedata.normalize("NFKC", text.strip())
    if folded(username) in RESERVED:
        raise invalid("username", "This name is reserved")
    if not MIN_USERNAME <= len(username) <= MAX_USERNAME:
        raise invalid("username", f"Expected {MIN_USERNAME} to {MAX_USERNAME} characters")
    if not all(map(_may_stand_in_a_name, username)) or unicodedata.category(username[0])[0] == "M":
        raise invalid("username", "Expected letters, digits, '_', '.' and '-' only")
    if mixes_scripts(username):
        raise invalid("username", "Expected letters of one script: this name could be mistaken for another")
    if (lookalike := latin_lookalike(username)) is not None and folded(lookalike) in RESERVED:
        raise invalid("username", "This name is reserved")
    return username


def folded(username: str) -> str:
    """The form in which two user names are the same: without capitals and compatibility forms."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", username).casefold())


def lookalike_of(username: str) -> str | None:
    """The form of the Latin name that this one looks like, which must be free too; None if it looks like none."""
    lookalike = latin_lookalike(username)
    return None if lookalike is None else folded(lookalike)


def derive_username(text: str) -> str:
    """A valid user name that is as near as can be to any text; of an address only what stands before the `@`."""
    spaced = re.sub(r"\s+", "_", unicodedata.normalize("NFKC", text.partition("@")[0]).strip())
    kept = "".join(filter(_may_stand_in_a_name, spaced))[:MAX_USERNAME]
    while kept and unicodedata.category(kept[0])[0] == "M":
        kept = kept[1:]
    try:
        return normal_username(kept)
    except Invalid:
        return "user"


def check_password(password: str, field: str = "password") -> None:
    """Invalid unless it is long enough, and short enough to be hashed."""
    if not MIN_PASSWORD <= len(password) <= MAX_PASSWORD:
        raise invalid(field, f"Expected {MIN_PASSWORD} to {MAX_PASSWORD} characters")


def check_device(device: str | None) -> None:
    """Invalid if the label of a device is too long."""
    if device is not None and len(device) > MAX_DEVICE:
        raise invalid("device", f"Expected at most {MAX_DEVICE} characters")


def _may_stand_in_a_name(character: str) -> bool:
    return character in _SIGNS or unicodedata.category(character) in _LETTERS


_LETTERS = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Nd"})
