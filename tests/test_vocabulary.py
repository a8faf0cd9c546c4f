"""The words of docs/glossary.md are used everywhere: none of the retired ones comes back."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RETIRED = re.compile(
    r"\b(somebody|whoever|told|said|hears?|heard|ears?|lanes?|dress(?:ed|ing)?|attendance|whispers?|farewells?"
    r"|just_said|sending_out|announcing|welcomes?)\b",
    re.IGNORECASE,
)
SEARCHED = ("src/sobremesa/**/*.py", "web/src/**/*.ts", "web/src/**/*.tsx", "docs/*.md", "toolkit/*.md", "*.md")
ALLOWED = {
    "CHANGELOG.md",  # entries are not rewritten
    "src/sobremesa/live/redis_ephemeral.py",  # a subject in Redis, which nodes of other versions use
    "web/src/emoji/list.ts",  # names of emoji
    "web/src/markdown/markdown.test.tsx",  # sample text
}
ALLOWED_FOLDERS = ("src/sobremesa/demo/",)  # what the users of the demo write to each other


def test_no_retired_word_is_used() -> None:
    found = []
    for pattern in SEARCHED:
        for path in sorted(ROOT.glob(pattern)):
            name = path.relative_to(ROOT).as_posix()
            if name in ALLOWED or name.startswith(ALLOWED_FOLDERS) or "/dist/" in name:
                continue
            for number, line in enumerate(path.read_text().splitlines(), 1):
                found += [f"{name}:{number}: {match.group()}" for match in RETIRED.finditer(line)]

    assert found == []
