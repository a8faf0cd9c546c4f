"""What bodies of other products look like as messages, in the Markdown of the web client."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec
import pytest

from sobremesa.domains.incoming_webhooks.formats import alerts, discord, github, slack
from sobremesa.domains.incoming_webhooks.formats.markdown import MAX_CONTENT, cut, escape, link

T = TypeVar("T")

REPOSITORY = {"full_name": "acme/shop", "html_url": "https://github.com/acme/shop", "private": True}
ANA = {"login": "ana", "html_url": "https://github.com/ana", "id": 1}
BY_ANA = {"repository": REPOSITORY, "sender": ANA}


def of(kind: type[T], body: Any) -> T:
    """Decode a body as a request does."""
    return msgspec.json.decode(msgspec.json.encode(body), type=kind)


# Markdown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("*not bold* and `no code`", r"\*not bold\* and \`no code\`"),
        ("snake_case_name stays, _this_ is escaped", r"snake_case_name stays, \_this\_ is escaped"),
        ("@everyone look", r"\@everyone look"),
        ("- no list\n> no quote", "\\- no list\n\\> no quote"),
        ("#general and issue#4", r"\#general and issue#4"),
        ("[a](https://evil.example)", r"\[a\](https://evil.example)"),
    ],
)
def test_escaped_text_has_no_marks(text: str, shown: str) -> None:
    assert escape(text) == shown


def test_links_cannot_be_broken_out_of_or_run_scripts() -> None:
    assert link("a [b]", "https://example.com/x(1) y") == "[a (b)](https://example.com/x%281%29%20y)"
    assert link("click", "javascript:alert(1)") == "click"
    assert link("", "https://example.com/") == "[https://example.com/](https://example.com/)"


def test_long_text_is_cut_at_a_line_and_closes_its_code() -> None:
    text = "```\n" + "x" * 50 + ("\n" + "y" * 50) * 200 + "\n```"
    shown = cut(text)
    assert len(shown) <= MAX_CONTENT
    assert shown.endswith("y\n```\n…")
    assert shown.count("```") == 2


# Slack


def test_slack_text_is_translated() -> None:
    body = {
        "text": "*Deploy* of <https://ci.example.com/42|build 42> by <@U024BE7LH>: ~failed~ _recovered_ &amp; done\n"
        "> quoted\n```code *as is*```",
        "username": "ci",
        "icon_emoji": ":rocket:",
    }
    assert slack.render(of(slack.SlackBody, body)) == (
        "**Deploy** of [build 42](https://ci.example.com/42) by U024BE7LH: ~~failed~~ _recovered_ & done\n"
        "> quoted\n\n```\ncode *as is*\n```\n"
    )


def test_slack_blocks_replace_the_text() -> None:
    body = {
        "text": "summary",
        "blocks": [
            {"type": "header", "text": {"type": "plain_text", "text": "Order *42*", "emoji": True}},
            {"type": "section", "text": {"type": "mrkdwn", "text": "New order from *Ana*"}},
            {
                "type": "section",
                "fields": [{"type": "mrkdwn", "text": "*Total:*\n€ 10"}, {"type": "mrkdwn", "text": "*Items:*\n2"}],
            },
            {"type": "divider"},
            {"type": "image", "image_url": "https://img.example.com/a.png", "alt_text": "a cake"},
            {"type": "context", "elements": [{"type": "mrkdwn", "text": "from <https://shop.example.com|the shop>"}]},
            {
                "type": "actions",
                "elements": [
                    {
                        "type": "button",
                        "text": {"type": "plain_text", "text": "Open"},
                        "url": "https://shop.example.com/42",
                    }
                ],
            },
            {"type": "input", "label": {"type": "plain_text", "text": "not shown"}},
            {
                "type": "rich_text",
                "elements": [
                    {
                        "type": "rich_text_section",
                        "elements": [
                            {"type": "text", "text": "bold", "style": {"bold": True}},
                            {"type": "text", "text": " and "},
                            {"type": "link", "url": "https://example.com", "text": "a link"},
                        ],
                    },
                    {
                        "type": "rich_text_list",
                        "style": "bullet",
                        "elements": [
                            {"type": "rich_text_section", "elements": [{"type": "text", "text": "one"}]},
                            {"type": "rich_text_section", "elements": [{"type": "text", "text": "two"}]},
                        ],
                    },
                    {"type": "rich_text_preformatted", "elements": [{"type": "text", "text": "x = 1"}]},
                ],
            },
        ],
    }
    assert slack.render(of(slack.SlackBody, body)).split("\n") == [
        r"**Order \*42\***",
        "New order from **Ana**",
        "- **Total:** € 10",
        "- **Items:** 2",
        "———",
        "[a cake](https://img.example.com/a.png)",
        "from [the shop](https://shop.example.com)",
        "[Open](https://shop.example.com/42)",
        "**bold** and [a link](https://example.com)",
        "- one",
        "- two",
        "```",
        "x = 1",
        "```",
    ]


def test_slack_attachments_are_quotes() -> None:
    body = {
        "attachments": [
            {
                "fallback": "Build failed",
                "color": "#ff0000",
                "pretext": "From *CI*",
                "author_name": "builder",
                "title": "Build 42",
                "title_link": "https://ci.example.com/42",
                "text": "2 tests failed",
                "fields": [{"title": "Branch", "value": "main", "short": True}],
                "footer": "ci.example.com",
                "ts": 1763000000,
            },
            {"fallback": "only a fallback"},
        ]
    }
    assert slack.render(of(slack.SlackBody, body)).split("\n") == [
        "From **CI**",
        "> builder",
        "> **[Build 42](https://ci.example.com/42)**",
        "> 2 tests failed",
        "> - **Branch** main",
        "> ci.example.com",
        "> only a fallback",
    ]


# Discord


def test_discord_content_and_embeds_are_shown() -> None:
    body = {
        "content": "# Release\n<@123> @everyone **1.0** is out <:party:456> ||soon||, thanks @ana",
        "username": "release bot",
        "avatar_url": "https://cdn.example.com/a.png",
        "embeds": [
            {
                "title": "Notes",
                "url": "https://example.com/notes",
                "description": "Faster and **smaller**",
                "color": 5814783,
                "author": {"name": "Ana", "url": "https://example.com/ana"},
                "fields": [{"name": "Size", "value": "10 MB", "inline": True}],
                "image": {"url": "https://example.com/p.png"},
                "footer": {"text": "built with care"},
            }
        ],
    }
    assert discord.render(of(discord.DiscordBody, body)).split("\n") == [
        "**Release**",
        r"\@someone \@everyone **1.0** is out :party: soon, thanks \@ana",
        "> [Ana](https://example.com/ana)",
        "> **[Notes](https://example.com/notes)**",
        "> Faster and **smaller**",
        "> - **Size** 10 MB",
        "> [image](https://example.com/p.png)",
        "> built with care",
    ]


# GitHub


def commit(number: int, message: str) -> dict[str, Any]:
    id = f"{number}" * 40
    return {"id": id, "message": message, "url": f"https://github.com/acme/shop/commit/{id}", "author": {"name": "Ana"}}


def test_github_push_lists_the_commits() -> None:
    body = BY_ANA | {
        "ref": "refs/heads/main",
        "before": "0" * 40,
        "compare": "https://github.com/acme/shop/compare/a...b",
        "commits": [commit(number, f"Fix *thing* {number} for @ben\n\nLong text") for number in range(1, 8)],
        "pusher": {"name": "ana"},
    }
    lines = github.render("push", of(github.GithubBody, body)).split("\n")
    assert lines[0] == (
        "**[ana](https://github.com/ana)** pushed [7 commits](https://github.com/acme/shop/compare/a...b)"
        " to `main` in [acme/shop](https://github.com/acme/shop)"
    )
    first = "https://github.com/acme/shop/commit/" + "1" * 40
    assert lines[1] == rf"- [1111111]({first}) Fix \*thing\* 1 for \@ben"
    assert len(lines) == 7
    assert lines[-1] == "- and 2 more"


def test_github_push_of_a_tag_or_a_deleted_branch_is_one_line() -> None:
    tag = github.render("push", of(github.GithubBody, BY_ANA | {"ref": "refs/tags/v1", "created": True}))
    gone = github.render("push", of(github.GithubBody, BY_ANA | {"ref": "refs/heads/old", "deleted": True}))
    assert tag.endswith("created the tag `v1` in [acme/shop](https://github.com/acme/shop)")
    assert gone.endswith("deleted the branch `old` in [acme/shop](https://github.com/acme/shop)")


def test_github_pull_request_is_opened_and_merged() -> None:
    request = {
        "number": 7,
        "title": "Add a [cart]",
        "html_url": "https://github.com/acme/shop/pull/7",
        "body": "Adds **it**.\r\nAsk @ben.",
        "merged": False,
        "draft": False,
        "head": {"ref": "cart", "sha": "a"},
        "base": {"ref": "main", "sha": "b"},
    }
    opened = github.render(
        "pull_request", of(github.GithubBody, BY_ANA | {"action": "opened", "pull_request": request})
    )
    merged = github.render(
        "pull_request",
        of(github.GithubBody, BY_ANA | {"action": "closed", "pull_request": request | {"merged": True}}),
    )
    title = "**[#7 Add a (cart)](https://github.com/acme/shop/pull/7)** in [acme/shop](https://github.com/acme/shop)"
    assert opened.split("\n") == [
        f"**[ana](https://github.com/ana)** opened the pull request {title}",
        "`cart` → `main`",
        "> Adds **it**.",
        r"> Ask \@ben.",
    ]
    assert merged == f"**[ana](https://github.com/ana)** merged the pull request {title}"


@pytest.mark.parametrize(
    ("more", "act"),
    [
        ({"action": "opened"}, "opened the issue"),
        ({"action": "closed"}, "closed the issue"),
        ({"action": "labeled", "label": {"name": "bug"}}, "added the label `bug` of the issue"),
        ({"action": "assigned", "assignee": {"login": "ben"}}, "assigned ben to the issue"),
    ],
)
def test_github_issue_events_are_shown(more: dict[str, Any], act: str) -> None:
    issue = {"number": 3, "title": "It breaks", "html_url": "https://github.com/acme/shop/issues/3", "body": None}
    shown = github.render("issues", of(github.GithubBody, BY_ANA | {"issue": issue} | more))
    assert f"{act} **[#3 It breaks](https://github.com/acme/shop/issues/3)**" in shown


def test_github_release_and_ping_are_shown_and_other_events_are_not() -> None:
    release = {"tag_name": "v1.0", "name": "One", "html_url": "https://github.com/acme/shop/r/1", "body": "Notes"}
    shown = github.render("release", of(github.GithubBody, BY_ANA | {"action": "published", "release": release}))
    assert shown.split("\n")[0].endswith(
        "published the release **[One](https://github.com/acme/shop/r/1)** of [acme/shop](https://github.com/acme/shop)"
    )
    ping = {"zen": "Keep it logically awesome.", "hook_id": 1, "repository": REPOSITORY}
    assert github.render("ping", of(github.GithubBody, ping)).split("\n") == [
        "Connected to [acme/shop](https://github.com/acme/shop).",
        "> Keep it logically awesome.",
    ]
    assert github.render("release", of(github.GithubBody, {"action": "edited", "release": release})) == ""
    assert github.render("star", of(github.GithubBody, BY_ANA | {"action": "created"})) == ""
    assert github.render("issues", of(github.GithubBody, BY_ANA | {"action": "pinned"})) == ""


# Alerts


def alert(status: str, host: str, **more: Any) -> dict[str, Any]:
    return {
        "status": status,
        "labels": {"alertname": "DiskFull", "severity": "critical", "instance": host},
        "annotations": {"summary": f"Disk of {host} is *full*", "runbook_url": "https://run.example.com/disk"},
        "startsAt": "2026-11-18T04:00:00Z",
        "endsAt": "0001-01-01T00:00:00Z",
        "generatorURL": "http://prometheus.example.com/graph?g0.expr=up",
        "fingerprint": "c0ffee",
    } | more


def test_alertmanager_group_shows_firing_alerts_first() -> None:
    body = {
        "version": "4",
        "groupKey": '{}:{alertname="DiskFull"}',
        "truncatedAlerts": 3,
        "status": "firing",
        "receiver": "chat",
        "groupLabels": {"alertname": "DiskFull"},
        "commonLabels": {"alertname": "DiskFull", "severity": "critical"},
        "commonAnnotations": {},
        "externalURL": "http://alertmanager.example.com",
        "alerts": [alert("resolved", "a:9100"), alert("firing", "b:9100")],
    }
    links = "[source](http://prometheus.example.com/graph?g0.expr=up) · [runbook](https://run.example.com/disk)"
    assert alerts.render(of(alerts.AlertsBody, body)).split("\n") == [
        "🔴 Firing: **[DiskFull](http://alertmanager.example.com)** (1 firing, 1 resolved)",
        rf"- 🔴 Disk of b:9100 is \*full\* `instance=b:9100` {links}",
        rf"- 🟢 Disk of a:9100 is \*full\* `instance=a:9100` {links}",
        "- and 3 more",
    ]


def test_grafana_alert_links_its_panel() -> None:
    body = {
        "receiver": "chat",
        "status": "resolved",
        "orgId": 1,
        "title": "[RESOLVED] CPU",
        "state": "ok",
        "message": "**Resolved**",
        "commonLabels": {"alertname": "CPU"},
        "externalURL": "https://grafana.example.com/",
        "alerts": [
            {
                "status": "resolved",
                "labels": {"alertname": "CPU", "grafana_folder": "Servers", "host": "web1"},
                "annotations": {"description": "High CPU"},
                "valueString": "[ var='A' value=0.1 ]",
                "values": {"A": 0.1},
                "panelURL": "https://grafana.example.com/d/1?viewPanel=2",
                "silenceURL": "https://grafana.example.com/alerting/silence/new",
            }
        ],
    }
    assert alerts.render(of(alerts.AlertsBody, body)).split("\n") == [
        "🟢 Resolved: **[CPU](https://grafana.example.com/)**",
        "- 🟢 High CPU `host=web1` [panel](https://grafana.example.com/d/1?viewPanel=2)"
        " · [silence](https://grafana.example.com/alerting/silence/new)",
    ]


def test_every_rendering_fits_into_a_message() -> None:
    many = [alert("firing", f"host-{number}" * 50) for number in range(200)]
    commits = [commit(1, "x" * 10_000)] * 500
    assert len(alerts.render(of(alerts.AlertsBody, {"alerts": many}))) <= MAX_CONTENT
    assert len(github.render("push", of(github.GithubBody, BY_ANA | {"ref": "r", "commits": commits}))) <= MAX_CONTENT
    assert len(slack.render(of(slack.SlackBody, {"text": "x" * 50_000}))) <= MAX_CONTENT
    sections = [{"type": "section", "text": {"type": "mrkdwn", "text": "y" * 3000}}] * 100
    assert len(slack.render(of(slack.SlackBody, {"blocks": sections}))) <= MAX_CONTENT
    embeds = [{"description": "z\n" * 2000}] * 20
    assert len(discord.render(of(discord.DiscordBody, {"embeds": embeds}))) <= MAX_CONTENT
