"""Look-alikes: user names that are drawn as another one, though they have other letters.

After Unicode's technical standard 39: the letters of a name are of one script (or of a group that is written together,
as in Japanese), and a name of Cyrillic or Greek letters that all look like Latin ones is compared with that Latin name.
"""

from __future__ import annotations

import unicodedata

_COMMON = frozenset({"", "COMBINING", "MODIFIER"})
"""Characters that go with every script."""

_TOGETHER: tuple[frozenset[str], ...] = (
    frozenset({"LATIN", "HAN", "HIRAGANA", "KATAKANA"}),
    frozenset({"LATIN", "HAN", "BOPOMOFO"}),
    frozenset({"LATIN", "HAN", "HANGUL"}),
)
_ALSO = {"CJK": "HAN", "IDEOGRAPHIC": "HAN"}

_LATIN = str.maketrans(
    # Cyrillic, as it is drawn in either case; then Greek, whose small letters look like other ones than its capitals.
    "АВЕЅІЈКМНОРСТУХҮҺԚԜавеѕіјкмнорстухүһԁԛԝԌԍӏӀ"
    "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧαεικνορτυχγ",
    "ABESIJKMHOPCTYXYHQWabesijkmhopctyxyhdqwGgll"
    "ABEZHIKMNOPTYXaeikvoptuxy",
)  # fmt: skip


def mixes_scripts(username: str) -> bool:
    """Are there letters of scripts that nobody writes together in one name?"""
    scripts = {script_of(character) for character in username} - {None}
    return len(scripts) > 1 and not any(scripts <= group for group in _TOGETHER)


def script_of(character: str) -> str | None:
    """The script of a letter, by its name in Unicode; None for what goes with every script."""
    if character.isascii() and not character.isalpha():
        return None
    first = unicodedata.name(character, "").partition(" ")[0].partition("-")[0]
    return None if first in _COMMON else _ALSO.get(first, first)


def latin_lookalike(username: str) -> str | None:
    """The Latin name that this one is drawn as, if all its letters that are not Latin look like Latin ones."""
    lookalike = username.translate(_LATIN)
    return lookalike if lookalike != username and lookalike.isascii() else None
