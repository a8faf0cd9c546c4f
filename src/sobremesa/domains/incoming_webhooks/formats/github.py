"""Events of GitHub: pushes, pull requests, issues, releases and pings. Other events post nothing."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from sobremesa.domains.incoming_webhooks.formats.markdown import (
    MAX_TEXT,
    bold,
    code,
    first_line,
    line,
    link,
    paragraphs,
    quote_block,
    shortened,
)

MAX_COMMITS = 5
MAX_BODY = 500
SHORT_ID = 7


class Account(msgspec.Struct):
    """A user or an organization."""

    login: str = ""
    html_url: str | None = None


class Repository(msgspec.Struct):
    """A repository."""

    full_name: str = ""
    html_url: str | None = None


class Commit(msgspec.Struct):
    """A pushed commit."""

    id: str = ""
    message: str = ""
    url: str | None = None


class Branch(msgspec.Struct):
    """One side of a pull request."""

    ref: str = ""


class Discussed(msgspec.Struct):
    """An issue or a pull request."""

    number: int = 0
    title: str = ""
    html_url: str | None = None
    body: str | None = None
    merged: bool | None = None
    draft: bool | None = None
    head: Branch | None = None
    base: Branch | None = None


class Release(msgspec.Struct):
    """A release."""

    tag_name: str = ""
    name: str | None = None
    html_url: str | None = None
    body: str | None = None
    prerelease: bool = False


class Label(msgspec.Struct):
    """A label of an issue."""

    name: str = ""


class GithubBody(msgspec.Struct):
    """An event as GitHub sends it; its kind is in the header X-GitHub-Event."""

    action: str | None = None
    sender: Account | None = None
    repository: Repository | None = None
    organization: Account | None = None
    zen: str | None = None
    ref: str | None = None
    compare: str | None = None
    commits: list[Commit] = []
    created: bool = False
    deleted: bool = False
    forced: bool = False
    pull_request: Discussed | None = None
    issue: Discussed | None = None
    label: Label | None = None
    assignee: Account | None = None
    requested_reviewer: Account | None = None
    release: Release | None = None


def render(event: str, body: GithubBody) -> str:
    """Return the event as text; empty if it posts nothing."""
    rendered = _RENDERED.get(event)
    return "" if rendered is None else rendered(body)


def _ping(body: GithubBody) -> str:
    where = _repository(body) or (line(body.organization.login) if body.organization is not None else "GitHub")
    return paragraphs([f"Connected to {where}.", quote_block(line(body.zen))])


def _push(body: GithubBody) -> str:
    ref = body.ref or ""
    name = code(ref.removeprefix("refs/heads/").removeprefix("refs/tags/"))
    kind = "tag" if ref.startswith("refs/tags/") else "branch"
    where = f"{name} in {_repository(body)}"
    if body.deleted:
        return f"{_sender(body)} deleted the {kind} {where}"
    if not body.commits:
        return f"{_sender(body)} {'created' if body.created else 'updated'} the {kind} {where}"
    count = len(body.commits)
    commits = link(f"{count} commit{'s' if count > 1 else ''}", body.compare)
    verb = "force-pushed" if body.forced else "pushed"
    lines = [
        f"- {link(each.id[:SHORT_ID], each.url)} {first_line(each.message)}" for each in body.commits[:MAX_COMMITS]
    ]
    if count > MAX_COMMITS:
        lines.append(f"- and {count - MAX_COMMITS} more")
    return paragraphs([f"{_sender(body)} {verb} {commits} to {where}", *lines])


def _pull_request(body: GithubBody) -> str:
    request = body.pull_request
    verb = _verb(body, merged=request is not None and bool(request.merged))
    if request is None or verb is None:
        return ""
    what = "the draft pull request" if request.draft else "the pull request"
    sides = ""
    if body.action == "opened" and request.head is not None and request.base is not None:
        sides = f"{code(request.head.ref)} → {code(request.base.ref)}"
    return _about(body, f"{verb} {what}", request, sides)


def _issues(body: GithubBody) -> str:
    verb = _verb(body, merged=False)
    return "" if body.issue is None or verb is None else _about(body, f"{verb} the issue", body.issue, "")


def _about(body: GithubBody, act: str, subject: Discussed, more: str) -> str:
    title = link(f"#{subject.number} {subject.title}", subject.html_url)
    head = f"{_sender(body)} {act} {bold(title)} in {_repository(body)}"
    return paragraphs([head, more, _excerpt(subject.body) if body.action == "opened" else ""])


def _release(body: GithubBody) -> str:
    if body.release is None or body.action != "published":
        return ""
    release = body.release
    kind = "pre-release" if release.prerelease else "release"
    title = link(release.name or release.tag_name, release.html_url)
    head = f"{_sender(body)} published the {kind} {bold(title)} of {_repository(body)}"
    return paragraphs([head, _excerpt(release.body)])


def _verb(body: GithubBody, *, merged: bool) -> str | None:
    """Return what was done to an issue or a pull request; None if it is not posted."""
    if body.action == "closed":
        return "merged" if merged else "closed"
    if body.action in ("labeled", "unlabeled") and body.label is not None:
        return f"{'added' if body.action == 'labeled' else 'removed'} the label {code(body.label.name)} of"
    if body.action == "assigned" and body.assignee is not None:
        return f"assigned {line(body.assignee.login)} to"
    if body.action == "review_requested" and body.requested_reviewer is not None:
        return f"requested a review by {line(body.requested_reviewer.login)} of"
    return {
        "opened": "opened",
        "reopened": "reopened",
        "ready_for_review": "marked as ready for review",
        "converted_to_draft": "converted to a draft",
    }.get(body.action or "")


def _sender(body: GithubBody) -> str:
    return "GitHub" if body.sender is None else bold(link(body.sender.login, body.sender.html_url))


def _repository(body: GithubBody) -> str:
    return "" if body.repository is None else link(body.repository.full_name, body.repository.html_url)


def _excerpt(text: str | None) -> str:
    """Return the beginning of a description as a quote. GitHub's Markdown is mostly ours, but mentions nobody here."""
    words = shortened((text or "")[:MAX_TEXT].replace("\r\n", "\n").strip(), MAX_BODY).replace("@", "\\@")
    return quote_block(words)


_RENDERED: dict[str, Callable[[GithubBody], str]] = {
    "ping": _ping,
    "push": _push,
    "pull_request": _pull_request,
    "issues": _issues,
    "release": _release,
}
