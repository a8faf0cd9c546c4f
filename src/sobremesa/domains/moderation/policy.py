"""The policy: a judge that applies a file of rules about words, links and mentions, and reloads it when it changes.

    [[words]]
    words = ["donkey", "silly goose"]
    action = "block"
    hint = "insults"

Every rule that a message matches adds its hint; the strictest action and the highest band apply. A file that is not
valid is refused at startup; later, the last valid rules stay in effect.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Literal, NamedTuple, TypeAlias

import msgspec
import structlog

from sobremesa.core.clock import Clock
from sobremesa.core.settings import BadSetting, Settings
from sobremesa.domains.moderation.folding import Words, fold
from sobremesa.domains.moderation.links import Links, host_of, is_within
from sobremesa.domains.moderation.toml import line_of, read_toml
from sobremesa.rooms.judging import CLEAR, JudgedContent, Verdict

CHECK_EVERY_MS = 1000
MAX_AT_ONCE = 16 * 1024
"""How many characters of JSON are judged on the event loop: 256 KB would block it for 40 ms."""
DEFAULT_POLICY = "default_policy.toml"

Hint = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
Hosts: TypeAlias = list[Annotated[str, msgspec.Meta(min_length=1, max_length=253)]]

_log = structlog.get_logger("sobremesa.domains.moderation")


class Rule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What happens to a message that matches."""

    hint: Hint
    action: Literal["flag", "block"] = "flag"
    nsfw_band: Literal[0, 1, 2] = 0


class WordRule(Rule, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Words and phrases, regardless of how they are written."""

    words: Annotated[list[Annotated[str, msgspec.Meta(min_length=1, max_length=200)]], msgspec.Meta(min_length=1)]


class LinkRule(Rule, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One of three: some hosts and their subdomains, every link, or more than a number of links."""

    hosts: Hosts | None = None
    every: bool = False
    more_than: Annotated[int, msgspec.Meta(ge=0)] | None = None
    allowed: Hosts = []
    """Hosts that this rule ignores, with their subdomains."""


class MentionRule(Rule, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """More than a number of mentioned users."""

    more_than: Annotated[int, msgspec.Meta(ge=0)]


class Rules(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The content of a policy file."""

    words: list[WordRule] = []
    links: list[LinkRule] = []
    mentions: list[MentionRule] = []


class _LinkCheck(NamedTuple):
    rule: LinkRule
    matches: Callable[[Links], bool]


class _RuleError(NamedTuple):
    """An error in the file, and its location."""

    table: str
    number: int
    field: str
    why: str


class Policy:
    """Compiled rules."""

    def __init__(self, rules: Rules) -> None:
        # A word may occur in several rules.
        listed: dict[str, frozenset[int]] = {}
        for number, rule in enumerate(rules.words):
            for word in rule.words:
                folded = fold(word)
                listed[folded] = listed.get(folded, frozenset()) | {number}
        self._words = Words(listed) if listed else None
        self._word_rules = rules.words
        self._links = [_LinkCheck(rule, _link_check(rule)) for rule in rules.links]
        self._mentions = rules.mentions

    @classmethod
    def parse(cls, text: str, name: str) -> Policy:
        """Parse the text of a policy file; BadSetting with the line of an error."""
        rules = read_toml(text, Rules, name)
        for error in _errors(rules):
            raise BadSetting(f"{name}, line {line_of(text, error.table, error.number, error.field)}: {error.why}")
        return cls(rules)

    def judge(self, content: JudgedContent) -> Verdict:
        """Return the verdict of the rules about content."""
        matched: list[Rule] = []
        text = content.text
        if self._words is not None:
            found = self._words.find(text)
            if found:
                matched += [self._word_rules[number] for number in sorted(set().union(*found))]
        if self._links:
            links = Links(text)
            if links:
                matched += [check.rule for check in self._links if check.matches(links)]
        if content.mentions:
            matched += [rule for rule in self._mentions if content.mentions > rule.more_than]
        return _verdict(matched) if matched else CLEAR


class PolicyJudge:
    """Judges by a policy: at once, or in a thread if the text is so long that it would block the event loop."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy

    def judge_at_once(self, content: JudgedContent) -> Verdict | None:
        """Return the verdict; None if the content is too long to judge on the event loop."""
        return None if content.size > MAX_AT_ONCE else self._policy.judge(content)

    async def judge(self, content: JudgedContent) -> Verdict:
        """Return the verdict of the rules."""
        if content.size > MAX_AT_ONCE:
            return await asyncio.to_thread(self._policy.judge, content)
        return self._policy.judge(content)


class PolicyFile(PolicyJudge):
    """The policy of a file, reloaded when the file changes."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self._path = path
        self._clock = clock
        self._checked_ms = clock.now_ms()
        self._version = self._stat()
        try:
            super().__init__(self._read())
        except OSError as error:
            raise BadSetting(f"the moderation policy {path} cannot be read: {error.strerror}") from None

    def judge_at_once(self, content: JudgedContent) -> Verdict | None:
        """Return the verdict; None if the file must be checked for changes first."""
        return None if self._is_check_due() else super().judge_at_once(content)

    async def judge(self, content: JudgedContent) -> Verdict:
        """Return the verdict of the file's rules, which are at most a second old."""
        if self._is_check_due():
            self._checked_ms = self._clock.now_ms()
            await self._reload_if_changed()
        return await super().judge(content)

    def _is_check_due(self) -> bool:
        return abs(self._clock.now_ms() - self._checked_ms) >= CHECK_EVERY_MS

    async def _reload_if_changed(self) -> None:
        version = self._stat()
        if version == self._version:
            return
        try:
            self._policy = await asyncio.to_thread(self._read)
        except (OSError, BadSetting) as error:
            _log.error("the moderation policy is not valid; the previous rules stay in effect", why=str(error))
        else:
            _log.info("the moderation policy was reloaded", path=str(self._path))
        # Also of a file that is not valid: it is reported once, and read again when it changes.
        self._version = version

    def _stat(self) -> tuple[int, int, int]:
        """Return attributes that change with the file; zeros if there is none."""
        try:
            stat = self._path.stat()
        except OSError:
            return 0, 0, 0
        return stat.st_mtime_ns, stat.st_size, stat.st_ino

    def _read(self) -> Policy:
        try:
            return Policy.parse(self._path.read_text("utf-8"), self._path.name)
        except UnicodeDecodeError as error:
            raise BadSetting(f"the moderation policy {self._path.name} is not valid UTF-8: {error.reason}") from None


def open_policy(settings: Settings, clock: Clock) -> PolicyJudge | None:
    """Return the judge of the settings: the built-in policy, that of a file, or None."""
    match settings.moderation_policy:
        case "off":
            return None
        case "default":
            return PolicyJudge(default_policy())
        case path:
            return PolicyFile(Path(path), clock)


@cache
def default_policy() -> Policy:
    """Return the built-in policy."""
    return Policy.parse(files(__package__).joinpath(DEFAULT_POLICY).read_text("utf-8"), DEFAULT_POLICY)


def _verdict(matched: list[Rule]) -> Verdict:
    band = max(rule.nsfw_band for rule in matched)
    hints = list(dict.fromkeys(rule.hint for rule in matched))
    return Verdict("blocked" if any(rule.action == "block" for rule in matched) else "flagged", hints, band)


def _link_check(rule: LinkRule) -> Callable[[Links], bool]:
    """Return the check of a rule on the links of a message."""
    allowed = frozenset(map(_host, rule.allowed))
    if rule.hosts is not None:
        hosts = frozenset(map(_host, rule.hosts))
        return lambda links: any(
            is_within(host, hosts) and not is_within(host, allowed) for host in (*links.names, *links.hosts)
        )
    most = 0 if rule.every else rule.more_than or 0
    return lambda links: sum(not is_within(host, allowed) for host in links.hosts) > most


def _errors(rules: Rules) -> Iterator[_RuleError]:
    """Yield errors that the types do not catch."""
    for index, words in enumerate(rules.words):
        for word in words.words:
            if not _is_plain(word):
                yield _RuleError("words", index, "words", f"{word!r} must start and end with a letter, digit or symbol")
    for index, links in enumerate(rules.links):
        if (links.hosts is not None) + links.every + (links.more_than is not None) != 1:
            yield _RuleError(
                "links", index, "", "a rule for links needs exactly one of hosts, every = true and more_than"
            )
        for field, hosts in (("hosts", links.hosts or ()), ("allowed", links.allowed)):
            for host in hosts:
                if "." not in _host(host):
                    yield _RuleError("links", index, field, f"{host!r} is not a host such as example.com")


def _host(text: str) -> str:
    """Return a listed host in its normalized form."""
    return host_of(Links(text).plain)


def _is_plain(word: str) -> bool:
    """Return whether folding keeps both ends of a word; separators at its ends would be lost."""
    return len(fold(word[0]).strip()) > 0 and len(fold(word[-1]).strip()) > 0
