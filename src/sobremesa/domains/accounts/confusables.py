"""Confusables: usernames that look the same but consist of different letters.

Follows Unicode Technical Standard 39: the letters of a name belong to one script, or to scripts that are used together,
as in Japanese. A name of Cyrillic or Greek letters that all look like Latin ones is compared with that Latin name.
"""

from __future__ import annotations

import unicodedata

_COMMON = frozenset({"", "COMBINING", "MODIFIER"})
"""Characters that are used with every script."""

_TOGETHER: tuple[frozenset[str], ...] = (
    frozenset({"LATIN", "HAN", "HIRAGANA", "KATAKANA"}),
    frozenset({"LATIN", "HAN", "BOPOMOFO"}),
    frozenset({"LATIN", "HAN", "HANGUL"}),
)
_ALSO = {"CJK": "HAN", "IDEOGRAPHIC": "HAN"}

_LATIN = str.maketrans(
    # Cyrillic in either case; then Greek, whose lowercase letters resemble other letters than its capitals.
    "АВЕЅІЈКМНОРСТУХҮҺԚԜавеѕіјкмнорстухүһԁԛԝԌԍӏӀ"
    "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧαεικνορτυχγ",
    "ABESIJKMHOPCTYXYHQWabesijkmhopctyxyhdqwGgll"
    "ABEZHIKMNOPTYXaeikvoptuxy",
)  # fmt: skip


def mixes_scripts(username: str) -> bool:
    """Return whether a name mixes scripts that are not used together."""
    scripts = {script_of(character) for character in username} - {None}
    return len(scripts) > 1 and not any(scripts <= group for group in _TOGETHER)


def script_of(character: str) -> str | None:
    """Return the script of a letter, by its Unicode name; None for characters of every script."""
    if character.isascii() and not character.isalpha():
        return None
    first = unicodedata.name(character, "").partition(" ")[0].partition("-")[0]
    return None if first in _COMMON else _ALSO.get(first, first)


def latin_lookalike(username: str) -> str | None:
    """Return the Latin name that this one looks like, if all its non-Latin letters look like Latin ones."""
    lookalike = username.translate(_LATIN)
    return lookalike if lookalike != username and lookalike.isascii() else None
