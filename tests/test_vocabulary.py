"""The words of docs/glossary.md are used everywhere: none of the retired ones comes back."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# Underscores separate words, so that the names of functions are searched, too.
RETIRED = re.compile(
    r"(?<![a-z])(somebody|whoever|told|said|hears?|heard|ears?|lanes?|dress(?:ed|ing)?|attendance|whispers?|farewells?"
    r"|sending_out|announcing|welcomes?|mend(?:s|ed)?|remembered|followers?|invitations?)(?![a-z])"
    # As ordinary verbs these are fine, but not as names: a variable, an attribute, a function.
    r"|(?-i:\bmade(?: ?=[^=]|\.[a-z]|\[|\(|: [A-Z]))",
    re.IGNORECASE,
)
RETIRED_IN_TESTS = re.compile(
    rf"{RETIRED.pattern}|(?<![a-z])(towns?|everybody|errands?|long_?table|peopled|set_scene)(?![a-z])|\b(says?|tells?)\("
    r"|(?-i:\bLetter\(|\bperson\(\"|class \w*(?:World|Scene|Cast|Place)\b)"
    r"|\.letters\b|def test_\w*_(?:persons?|says?|tells?)(?:_|\()",
    re.IGNORECASE,
)
SEARCHED = ("src/sobremesa/**/*.py", "web/src/**/*.ts", "web/src/**/*.tsx", "docs/*.md", "toolkit/*.md", "*.md")
SEARCHED_TESTS = ("tests/**/*.py", "bench/**/*.py", "examples/**/*.py")
ALLOWED = {
    "CHANGELOG.md",  # entries are not rewritten
    "web/src/emoji/list.ts",  # names of emoji
    "web/src/markdown/markdown.test.tsx",  # sample text
    "tests/test_vocabulary.py",
}
ALLOWED_FOLDERS = ("src/sobremesa/demo/",)  # what the users of the demo write to each other
ALLOWED_TEXTS = re.compile(
    r"0014-reads-are-remembered-while-they-are-true"  # decisions are not rewritten
    r"|\"welcome( back)?\"|not for everybody|So I said to the waiter|somebody asks for the bread|cake for everybody"
    r"|\b(log|runs)\.tell\(\)",  # the position in a file
    re.IGNORECASE,
)
"""Names of the API, and messages that tests send."""


def test_no_retired_word_is_used() -> None:
    assert list(_found(RETIRED, SEARCHED)) == []


def test_no_retired_word_is_used_in_tests() -> None:
    assert list(_found(RETIRED_IN_TESTS, SEARCHED_TESTS)) == []


def _found(retired: re.Pattern[str], searched: Sequence[str]) -> Iterator[str]:
    for pattern in searched:
        for path in sorted(ROOT.glob(pattern)):
            name = path.relative_to(ROOT).as_posix()
            if name in ALLOWED or name.startswith(ALLOWED_FOLDERS) or "/dist/" in name or "/node_modules/" in name:
                continue
            for number, line in enumerate(path.read_text().splitlines(), 1):
                yield from (
                    f"{name}:{number}: {match.group()}" for match in retired.finditer(ALLOWED_TEXTS.sub("", line))
                )
