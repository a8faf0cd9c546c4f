"""The words of docs/glossary.md are used everywhere: none of the retired ones comes back."""

from __future__ import annotations

import io
import re
import tokenize
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
RETIRED_NAMES = re.compile(
    rf"{RETIRED.pattern}|(?<![a-z])(worlds?|scenes?|acts?|places?|persons?|people|plays?|dealings?|life|beside)(?![a-z])",
    re.IGNORECASE,
)
"""For the names in the code of the demo, whose texts are free: the messages that its users write to each other."""
DEMO = "src/sobremesa/demo/"
SEARCHED = ("src/sobremesa/**/*.py", "web/src/**/*.ts", "web/src/**/*.tsx", "docs/*.md", "toolkit/*.md", "*.md")
SEARCHED_TESTS = ("tests/**/*.py", "bench/**/*.py", "examples/**/*.py")
ALLOWED = {
    "CHANGELOG.md",  # entries are not rewritten
    "web/src/emoji/list.ts",  # names of emoji
    "web/src/markdown/markdown.test.tsx",  # sample text
    "tests/test_vocabulary.py",
}
ALLOWED_FOLDERS = (DEMO,)
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


def test_no_retired_word_is_a_name_in_the_demo() -> None:
    found = []
    for path in sorted(ROOT.glob(f"{DEMO}*.py")):
        tokens = tokenize.generate_tokens(io.StringIO(path.read_text()).readline)
        names = [path.stem, *(token.string for token in tokens if token.type == tokenize.NAME)]
        found += [f"{path.name}: {name}" for name in names if RETIRED_NAMES.search(_snake_case(name))]
    assert found == []


def _snake_case(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name)


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
