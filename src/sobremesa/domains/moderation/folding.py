"""Folding: a text as its words are compared, however they are written.

Case, accents, widths and invisible characters do not matter; neither does what stands between words. Every character
is folded by itself, so it takes as long as the text is, whatever is in it: normalising a whole text takes quadratic
time for some. `Automaton` then finds all words at once, in one pass.
"""

from __future__ import annotations

import re
import unicodedata
from collections import deque
from collections.abc import Callable, Mapping
from typing import Generic, TypeVar

V = TypeVar("V")

SHORTEST_INSIDE = 4
"""How long a word must be to be found inside of a row of single letters: in shorter ones it is there by chance."""

# Letters with a stroke or of two, which Unicode does not take apart.
_LETTERS = {
    "ø": "o", "ł": "l", "đ": "d", "ħ": "h", "ŧ": "t", "\u0131": "i", "æ": "ae", "œ": "oe", "ð": "d", "þ": "th",
}  # fmt: skip

# What is drawn as nothing, though Unicode counts it among letters or marks.
_FILLERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0")
_SELECTORS = (range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0))

# Scripts that are written without spaces: there every sign is a word, and a word a phrase.
_UNSPACED = (range(0x3040, 0x3100), range(0x3400, 0xA000), range(0x20000, 0x32000))

_ROW = re.compile(r"(?<= )(?:[^\W_] ){2,}")


def is_invisible(character: str) -> bool:
    """Is it drawn as nothing?"""
    category = unicodedata.category(character)
    return (
        category == "Cf"
        or (category == "Cc" and not character.isspace())
        or (category[0] in "LM" and (character in _FILLERS or any(ord(character) in each for each in _SELECTORS)))
    )


class Characters(dict[int, str]):
    """What each character becomes, found out when it is first met: for `str.translate`."""

    def __init__(self, becomes: Callable[[str], str]) -> None:
        super().__init__()
        self._becomes = becomes

    def __missing__(self, code: int) -> str:
        character = chr(code)
        if unicodedata.category(character) in ("Cn", "Co", "Cs"):
            # There are a million of those, of which nobody knows what they mean.
            return " "
        became = self[code] = self._becomes(character)
        return became


def _folded(character: str) -> str:
    """Letters and digits without case, accent and width; a space for what divides words."""
    if is_invisible(character):
        return ""
    return "".join(map(_piece, _bare(_bare(character).casefold())))


def _bare(text: str) -> str:
    """Without accents, and without what only concerns how it is drawn."""
    apart = unicodedata.normalize("NFKD", text)
    return "".join(each for each in apart if not _is_mark(each) and not is_invisible(each))


def _is_mark(character: str) -> bool:
    """Is it drawn upon the letter before it, and no letter itself, as vowels of some scripts are?"""
    return unicodedata.combining(character) != 0 or unicodedata.category(character) == "Me"


def _piece(character: str) -> str:
    category = unicodedata.category(character)[0]
    if category == "S" or any(ord(character) in script for script in _UNSPACED):
        return f" {character} "
    return _LETTERS.get(character, character) if category in "LNM" else " "


_TABLE = Characters(_folded)


def fold(text: str) -> str:
    """The words of a text with one space around each."""
    return f" {' '.join(text.translate(_TABLE).split())} "


class Words(Generic[V]):
    """Finds words and phrases, however they are written."""

    def __init__(self, listed: Mapping[str, V]) -> None:
        """Each word stands for something, and what stands for the same is told once."""
        folded = {fold(word): value for word, value in listed.items()}
        self._whole = Automaton(folded)
        self._first = frozenset(word.split()[0] for word in folded)
        """The first word of each: a text without any of them has none of the listed ones."""
        joined = {word.replace(" ", ""): value for word, value in folded.items()}
        self._rows = Automaton({word: value for word, value in joined.items() if len(word) >= SHORTEST_INSIDE})
        self._whole_rows = {word: value for word, value in joined.items() if len(word) < SHORTEST_INSIDE}

    def find(self, text: str) -> set[V]:
        """What the words in a text stand for."""
        words = text.translate(_TABLE).split()
        folded = f" {' '.join(words)} "
        # Most texts have none, and a set finds that out much faster than a walk over every character.
        found = set[V]() if self._first.isdisjoint(words) else self._whole.find(folded)
        for row in _ROW.finditer(folded):
            # Letters with spaces between them: a word that somebody wants to hide.
            letters = row[0].replace(" ", "")
            found |= self._rows.find(letters)
            if letters in self._whole_rows:
                found.add(self._whole_rows[letters])
        return found


class Automaton(Generic[V]):
    """All of many texts found in another, in one pass over it (Aho and Corasick)."""

    def __init__(self, texts: Mapping[str, V]) -> None:
        self._steps: list[dict[str, int]] = [{}]
        self._found: list[frozenset[V]] = [frozenset()]
        for text, value in texts.items():
            self._add(text, value)
        self._back = self._link()

    def find(self, text: str) -> set[V]:
        """What the texts that are in this one stand for."""
        steps, back, found = self._steps, self._back, self._found
        met: set[V] = set()
        state = 0
        for character in text:
            while state and character not in steps[state]:
                state = back[state]
            state = steps[state].get(character, 0)
            if found[state]:
                met |= found[state]
        return met

    def _add(self, text: str, value: V) -> None:
        state = 0
        for character in text:
            following = self._steps[state].get(character)
            if following is None:
                following = self._steps[state][character] = len(self._steps)
                self._steps.append({})
                self._found.append(frozenset())
            state = following
        self._found[state] |= {value}

    def _link(self) -> list[int]:
        """From each state to that of the longest end of it that is also a beginning."""
        back = [0] * len(self._steps)
        waiting = deque(self._steps[0].values())
        while waiting:
            state = waiting.popleft()
            for character, following in self._steps[state].items():
                waiting.append(following)
                shorter = back[state]
                while shorter and character not in self._steps[shorter]:
                    shorter = back[shorter]
                back[following] = self._steps[shorter].get(character, 0)
                self._found[following] |= self._found[back[following]]
        return back
