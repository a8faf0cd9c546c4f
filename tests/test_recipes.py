"""The recipes of the docs work, line by line: a section with files to save, and lines to type."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from servers import Endpoint
from test_readme import ROOT, WITHIN_SECONDS, free_port, section_of, shell_block, typed, values_in

DOCS = ROOT / "docs"


def followed(page: str, heading: str, folder: Path, within: float = WITHIN_SECONDS, **variables: str) -> str:
    """What is printed if one saves the files of a section (`Save this as NAME`) and types its lines."""
    section = section_of(DOCS / page, heading)
    for name, text in re.findall(r"`([\w.-]+)`:\n\n```\w+\n(.*?)^```", section, re.MULTILINE | re.DOTALL):
        (folder / name).write_text(text)
    (folder / "examples").symlink_to(ROOT / "examples")
    return typed(shell_block(DOCS / page, heading), folder, within, **variables)


def results(page: str, heading: str, folder: Path) -> list[Any]:
    """The JSON values that a recipe prints."""
    return values_in(followed(page, heading, folder))


def test_backend_creates_users_writes_as_them_and_publishes(tmp_path: Path) -> None:
    unread, history, published = results("backend.md", "Try it", tmp_path)

    assert unread["total"]["count"] == 1
    assert [(message["type"], message["content"]) for message in history["items"]] == [
        ("system", "Your order has shipped"),
        ("text", "Is it still available?"),
    ]
    assert history["items"][1]["displayName"] == "Ana Ruiz"
    assert (published["recipients"], published["state"]) == (1, "done")


def test_fastapi_application_serves_the_site_below_a_path_and_calls_its_services(tmp_path: Path) -> None:
    registered, me, name = results("library.md", "Inside another web application", tmp_path)

    assert me["userId"] == registered["user"]["userId"]
    assert name == {"username": "ana"}


def test_users_log_in_with_tokens_of_their_own_issuer_until_these_are_revoked(tmp_path: Path) -> None:
    by_rsa, by_ec, revoked, refused, again = results("accounts.md", "Try your own issuer", tmp_path)

    assert (by_rsa["externalId"], by_ec["externalId"]) == ("customer-17", "customer-17")
    assert by_rsa["userId"] == by_ec["userId"] == revoked["userId"] == again["userId"]
    assert (refused["status"], refused["code"]) == (401, "unauthenticated")
    reasons = re.findall(r'"authentication failed".*"reason":"(\w+)"', (tmp_path / "sobremesa.log").read_text())
    assert reasons == ["revoked"]


def test_notifications_reach_a_user_a_segment_and_everyone(tmp_path: Path) -> None:
    one, segment, everyone, *counts, messages = results("inboxes.md", "Try it", tmp_path)

    assert [published["recipients"] for published in (one, segment, everyone)] == [1, 2, None]
    assert [count["unread"] for count in counts] == [3, 2, 1]
    assert [message["title"] for message in messages["items"]] == ["New opening hours", "For bikers", "Shipped"]


def test_bot_answers_every_message_once_although_it_is_killed(tmp_path: Path) -> None:
    [page] = results("bots.md", "Try it", tmp_path)

    answers = sorted(message["content"] for message in page["items"] if message.get("bot"))
    assert answers == ["You wrote: one", "You wrote: three", "You wrote: two"]
    assert all(message["replyTo"] for message in page["items"] if message.get("bot"))


def test_server_loads_a_card_type_of_its_owner(tmp_path: Path) -> None:
    offered, accepted, refused = results("threads.md", "A card type of your own", tmp_path)

    assert (offered["type"], offered["state"], offered["payload"]["days"]) == ("rental", "offered", 3)
    assert (accepted["messageId"], accepted["state"]) == (offered["messageId"], "accepted")
    assert refused["status"] == 422


def test_webhook_is_verified_by_the_reference_library(tmp_path: Path) -> None:
    printed = followed("webhooks.md", "Try it", tmp_path, RECEIVER_PORT=str(free_port()))

    assert printed.splitlines() == ["message.created from Ana Ruiz: Is it still available?", "forged: 400"]


def test_second_node_delivers_and_resumes_what_the_first_one_started(
    tmp_path: Path, dynamodb_endpoint: Endpoint, valkey: Endpoint, postgres: Endpoint
) -> None:
    printed = followed(
        *("gateway.md", "Try two nodes", tmp_path),
        DYNAMODB=dynamodb_endpoint.url,
        VALKEY=valkey.url,
        POSTGRES=postgres.url,
        SECOND_PORT=str(free_port()),
    )
    assert printed.splitlines()[1:] == [
        "Received: from node 1 at node 2",
        "Received: from node 2 at node 1",
        "Received: what was sent while node 1 was down",
    ]


def test_backup_beside_a_running_server_is_restored_with_its_keys_and_files(tmp_path: Path) -> None:
    printed = followed("embedded-engine.md", "Try it", tmp_path)

    backed_up, restored, page, file = printed.splitlines()
    assert (backed_up, file) == ("Backed up sqlite:///chat.db to backup/chat.db.", "Two eggs")
    assert restored.startswith("Restored ")
    assert [message["content"] for message in values_in(page)[0]["items"]] == ["Before the backup"]


def test_ten_thousand_messages_are_imported_once(tmp_path: Path) -> None:
    printed = followed("import.md", "Try it", tmp_path)

    *_, page = printed.splitlines()
    assert "10000" in printed.replace(",", "")
    assert [message["content"] for message in values_in(page)[0]["items"]] == ["Message 999", "Message 998"]
