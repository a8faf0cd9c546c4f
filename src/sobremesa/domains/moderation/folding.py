"""Folding: normalizes text so that words match regardless of how they are written.

Case, accents, widths, invisible characters and the separators of words are ignored. Every character is folded by
itself, in linear time: normalizing a whole text takes quadratic time for some texts. `Automaton` then finds all words
in one pass.
"""

from __future__ import annotations

import re
import unicodedata
from collections import deque
from collections.abc import Callable, Mapping
from typing import Generic, TypeVar

V = TypeVar("V")

SHORTEST_INSIDE = 4
"""The minimum length of words to find inside a row of single letters; shorter ones occur there by chance."""

# Letters with strokes and ligatures, which Unicode does not decompose.
_LETTERS = {
    "ø": "o", "ł": "l", "đ": "d", "ħ": "h", "ŧ": "t", "\u0131": "i", "æ": "ae", "œ": "oe", "ð": "d", "þ": "th",
}  # fmt: skip

# Invisible characters that Unicode classifies as letters or marks.
_FILLERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0")
_SELECTORS = (range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0))

# Scripts without spaces: every character is treated as a word, and a word as a phrase.
_UNSPACED = (range(0x3040, 0x3100), range(0x3400, 0xA000), range(0x20000, 0x32000))

_ROW = re.compile(r"(?<= )(?:[^\W_] ){2,}")


def is_invisible(character: str) -> bool:
    """Return whether a character is invisible."""
    category = unicodedata.category(character)
    return (
        category == "Cf"
        or (category == "Cc" and not character.isspace())
        or (category[0] in "LM" and (character in _FILLERS or any(ord(character) in each for each in _SELECTORS)))
    )


class Characters(dict[int, str]):
    """A lazy table for `str.translate`: each character is mapped when it first occurs."""

    def __init__(self, becomes: Callable[[str], str]) -> None:
        super().__init__()
        self._becomes = becomes

    def __missing__(self, code: int) -> str:
        character = chr(code)
        if unicodedata.category(character) in ("Cn", "Co", "Cs"):
            # There are a million unassigned and private characters: they are not cached.
            return " "
        became = self[code] = self._becomes(character)
        return became


def _folded(character: str) -> str:
    """Return letters and digits without case, accent and width, and a space for separators."""
    if is_invisible(character):
        return ""
    return "".join(map(_piece, _bare(_bare(character).casefold())))


def _bare(text: str) -> str:
    """Return the text without accents and invisible characters."""
    apart = unicodedata.normalize("NFKD", text)
    return "".join(each for each in apart if not _is_mark(each) and not is_invisible(each))


def _is_mark(character: str) -> bool:
    """Return whether it combines with the letter before it and is no letter itself, as vowels of some scripts are."""
    return unicodedata.combining(character) != 0 or unicodedata.category(character) == "Me"


def _piece(character: str) -> str:
    category = unicodedata.category(character)[0]
    if category == "S" or any(ord(character) in script for script in _UNSPACED):
        return f" {character} "
    return _LETTERS.get(character, character) if category in "LNM" else " "


_TABLE = Characters(_folded)


def fold(text: str) -> str:
    """Return the folded words of a text, with one space around each."""
    return f" {' '.join(text.translate(_TABLE).split())} "


class Words(Generic[V]):
    """Finds words and phrases, regardless of how they are written."""

    def __init__(self, listed: Mapping[str, V]) -> None:
        """`listed` maps each word to a value; `find` returns each value once."""
        folded = {fold(word): value for word, value in listed.items()}
        self._whole = Automaton(folded)
        self._first = frozenset(word.split()[0] for word in folded)
        """The first word of each phrase: a text without any of them contains none of the phrases."""
        joined = {word.replace(" ", ""): value for word, value in folded.items()}
        self._rows = Automaton({word: value for word, value in joined.items() if len(word) >= SHORTEST_INSIDE})
        self._whole_rows = {word: value for word, value in joined.items() if len(word) < SHORTEST_INSIDE}

    def find(self, text: str) -> set[V]:
        """Return the values of the words in a text."""
        words = text.translate(_TABLE).split()
        folded = f" {' '.join(words)} "
        # Most texts have none, and a set finds that out much faster than a pass over every character.
        found: set[V] = set() if self._first.isdisjoint(words) else self._whole.find(folded)
        for row in _ROW.finditer(folded):
            # Single letters with separators: possibly a disguised word.
            letters = row[0].replace(" ", "")
            found |= self._rows.find(letters)
            if letters in self._whole_rows:
                found.add(self._whole_rows[letters])
        return found


class Automaton(Generic[V]):
    """Finds many texts in another in one pass (Aho-Corasick)."""

    def __init__(self, texts: Mapping[str, V]) -> None:
        self._steps: list[dict[str, int]] = [{}]
        self._found: list[frozenset[V]] = [frozenset()]
        for text, value in texts.items():
            self._add(text, value)
        self._back = self._link()

    def find(self, text: str) -> set[V]:
        """Return the values of the texts that occur in this one."""
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
        """Return the state of the longest proper suffix of each state that is also a prefix."""
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
