"""The checks find what they are for, and nothing in a history that is right."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Literal

import aiohttp
import pytest

from chaos.checks import check_order, check_reactions, check_removals, differences, recounted
from chaos.endpoint import LastingEndpoint
from chaos.faults import DISTURBANCES, WEIGHTS, Kind, plan
from chaos.notices import check_notices, inbox_differences
from chaos.observations import (
    BROADCAST_SECONDS,
    Absence,
    Delivery,
    Notice,
    Observations,
    Outage,
    Reacted,
    ShownMessage,
    TimedSend,
)
from live.nodes import community_beside
from servers import Endpoint
from servers.sharded import Disturbance, start_sharded
from simulation.checks import check_sends
from simulation.clients import Shown
from simulation.history import History
from sobremesa.core.actor import UserId
from sobremesa.core.ids import MessageId, RoomId
from sobremesa.rooms.sending import Draft
from sobremesa.table import OLDEST

ROOM = RoomId("room")
BEA = UserId("bea")


def delivery(client: str, number: int, at: float = 0.0, node: str = "one", joined_at: float | None = None) -> Delivery:
    id = MessageId(f"m{number}")
    return Delivery(client, BEA, node, ROOM, id, f"n{number}", at, joined_at=joined_at)


def send(number: int, began_at: float = 0.0, *, is_answered: bool = True) -> TimedSend:
    id = MessageId(f"m{number}") if is_answered else None
    return TimedSend(f"n{number}", ROOM, BEA, message_id=id, began_at=began_at)


def rules(history: History) -> list[str]:
    return [violation.split(":")[0] for violation in history.violations]


async def test_two_clients_with_different_orders_are_found() -> None:
    history = History()
    check_order(history, [delivery("a", 1), delivery("a", 2), delivery("b", 2), delivery("b", 1)], {})
    assert rules(history) == ["one order"]


async def test_messages_that_only_one_client_received_have_no_order() -> None:
    history = History()
    check_order(history, [delivery("a", 2), delivery("a", 1), delivery("b", 1), delivery("b", 3)], {})
    assert not history.violations


async def test_order_of_the_first_seconds_after_a_join_and_of_what_was_sent_before_it_is_free() -> None:
    history = History()
    settled = [delivery("a", 1), delivery("a", 2)]
    check_order(history, [*settled, *(delivery("b", number, at=5.0, joined_at=4.0) for number in (2, 1))], {})
    assert not history.violations
    late = [*settled, *(delivery("b", number, at=15.0, joined_at=4.0) for number in (2, 1))]
    check_order(history, late, {"n1": send(1, began_at=3.0)})
    assert not history.violations
    check_order(history, late, {"n1": send(1, began_at=5.0)})
    assert rules(history) == ["one order"]


@pytest.mark.parametrize(
    ("node", "began_at", "is_violation"),
    [("one", 9.9, False), ("one", 10.1, True), ("two", 10.9, False), ("two", 11.1, True)],
)
async def test_message_after_a_removal_is_found(node: str, began_at: float, is_violation: bool) -> None:
    history = History()
    received = [delivery("a", 1, at=12.0, node=node)]
    check_removals(history, {"n1": send(1, began_at)}, received, [Absence(BEA, 10.0, "one", 20.0)], [ROOM])
    assert rules(history) == ["nothing after a removal"] * is_violation


@pytest.mark.parametrize(
    ("outage", "is_violation"),
    [(Outage(5.0, 11.5), False), (Outage(10.5, 11.5), False), (Outage(5.0, 10.2), True), (Outage(11.2, 13.0), True)],
)
async def test_message_after_a_removal_while_redis_was_down_is_found_once_it_is_back(
    outage: Outage, is_violation: bool
) -> None:
    history = History()
    received = [delivery("a", 1, at=12.0, node="two")]
    absences = [Absence(BEA, 10.0, "one", 20.0)]
    check_removals(history, {"n1": send(1, 11.5)}, received, absences, [ROOM], [outage])
    assert rules(history) == ["nothing after a removal"] * is_violation


async def test_redis_that_is_down_again_within_a_second_delays_a_removal_until_it_is_back_for_good() -> None:
    history = History()
    received = [delivery("a", number, at=14.5, node="two") for number in (1, 2)]
    sends = {"n1": send(1, 13.1), "n2": send(2, 14.1)}
    outages = [Outage(9.0, 10.9), Outage(11.5, 13.0)]
    check_removals(history, sends, received, [Absence(BEA, 10.0, "one", 20.0)], [ROOM], outages)
    assert [violation.split(", ")[0] for violation in history.violations] == [
        "nothing after a removal: a received n2 from two"
    ]


async def test_member_who_joined_again_may_receive_what_was_sent_meanwhile() -> None:
    history, observed = History(), Observations()
    observed.removed(BEA, 10.0, "one")
    observed.joining(BEA, 20.0)
    check_removals(history, {"n1": send(1, 15.0)}, [delivery("a", 1, at=21.0)], observed.absences, [ROOM])
    assert not history.violations


def test_inboxes_are_complete_soon_after_the_last_broadcast() -> None:
    observed = Observations()
    assert observed.until_inboxes_are_complete(10.0) == 0.0
    observed.broadcast(10.0)
    assert observed.until_inboxes_are_complete(10.5) == BROADCAST_SECONDS - 0.5
    assert observed.until_inboxes_are_complete(20.0) == 0.0


async def test_acknowledged_message_that_is_missing_or_twice_is_found() -> None:
    sends = {each.nonce: each for each in (send(1), send(2, is_answered=False))}
    there = Shown("n1 v0", False)
    lost, fine, twice = History(), History(), History()
    check_sends(lost, sends, {ROOM: {}})
    check_sends(fine, sends, {ROOM: {MessageId("m1"): there}})
    check_sends(
        twice, sends, {ROOM: {MessageId(id): Shown("n2 v0", False) for id in ("m3", "m4")} | {MessageId("m1"): there}}
    )
    assert rules(lost) == rules(twice) == ["exactly once"]
    assert not fine.violations


def test_missed_message_and_missed_edit_are_differences() -> None:
    one, two = MessageId("m1"), MessageId("m2")
    there = {one: ShownMessage("n1 v1", False), two: ShownMessage("n2 v0", False)}
    assert not differences(dict(there), there)
    assert len(differences({one: there[one]}, there)) == 1
    missed_edit = there | {one: ShownMessage("n1 v0", False)}
    assert len(differences(missed_edit, there)) == 1
    assert not differences(missed_edit, there, fetched_until="m1")
    assert len(differences({two: there[two]}, there, fetched_until="m1")) == 1


async def test_lost_and_removed_reactions_are_found() -> None:
    there = Reacted(MessageId("m1"), "🙂", BEA)
    reactions: dict[Reacted, Literal["there", "gone", "unknown"]] = {there: "there"}
    shown = ShownMessage("n1 v0", False, (("🙂", 1, ("bea",)),))
    fine, lost, returned, deleted, miscounted = (History() for _ in range(5))
    check_reactions(fine, reactions, {ROOM: {MessageId("m1"): shown}})
    check_reactions(lost, reactions, {ROOM: {MessageId("m1"): ShownMessage("n1 v0", False)}})
    check_reactions(returned, {there: "gone"}, {ROOM: {MessageId("m1"): shown}})
    check_reactions(deleted, reactions, {ROOM: {MessageId("m1"): ShownMessage("", True)}})
    check_reactions(miscounted, reactions, {ROOM: {MessageId("m1"): shown._replace(reactions=(("🙂", 2, ("bea",)),))}})
    assert not fine.violations
    assert not deleted.violations
    assert rules(lost) == rules(returned) == ["what was answered stays"]
    assert rules(miscounted) == ["counts are right"]


def test_reaction_that_a_client_missed_is_a_difference() -> None:
    one = MessageId("m1")
    there = {one: ShownMessage("n1 v0", False, (("🙂", 2, ("ana", "bea")),))}
    before = {one: ShownMessage("n1 v0", False, (("🎉", 1, ("ana",)), ("🙂", 1, ("ana",))))}
    assert len(differences(before, there)) == 1
    after = before[one].with_reaction(("🙂", 2, ("ana", "bea"))).with_reaction(("🎉", 0, ()))
    assert not differences({one: after}, there)


async def test_published_message_that_is_missing_or_twice_or_for_others_is_found() -> None:
    carl = UserId("carl")
    notices = {"n1": Notice("n1", frozenset([BEA]), "i1"), "n2": Notice("n2", frozenset([BEA]))}
    one, two = {"title": "n1", "messageId": "i1"}, {"title": "n2", "messageId": "i2"}
    fine, lost, twice, other, renamed = (History() for _ in range(5))
    check_notices(fine, notices, {BEA: [one], carl: []})
    check_notices(fine, notices, {BEA: [one, two], carl: []})
    check_notices(lost, notices, {BEA: [two], carl: []})
    check_notices(twice, notices, {BEA: [one, two, {**two, "messageId": "i3"}], carl: []})
    check_notices(other, notices, {BEA: [one], carl: [one]})
    check_notices(renamed, notices, {BEA: [{**one, "messageId": "i9"}]})
    assert not fine.violations
    assert rules(lost) == rules(twice) == rules(other) == rules(renamed) == ["exactly once"]


def test_missed_and_wrong_messages_and_counts_of_an_inbox_are_differences() -> None:
    there: list[dict[str, str | None]]
    there = [{"messageId": "i1", "readAt": None}, {"messageId": "i2", "readAt": "2026-01-01T00:00:00.000Z"}]
    assert not inbox_differences({"i1", "i2"}, (2, 1), there)
    assert len(inbox_differences({"i1"}, (2, 1), there)) == 1
    assert len(inbox_differences({"i1", "i2", "i3"}, (2, 1), there)) == 1
    assert len(inbox_differences({"i1", "i2"}, (2, 2), there)) == 1


def test_recount_leaves_out_what_was_read_and_what_the_reader_wrote() -> None:
    authors = {MessageId("m1"): "ana", MessageId("m2"): "ana", MessageId("m3"): "bea", MessageId("m4"): "carl"}
    assert recounted(authors, "bea", "m1") == (2, False)
    assert recounted(authors, "bea", "") == (3, False)
    assert recounted({MessageId(f"m{number}"): "ana" for number in range(101)}, "bea", "") == (100, True)


def test_seed_repeats_its_faults() -> None:
    assert plan(3, 60.0) == plan(3, 60.0)
    assert plan(3, 60.0) != plan(4, 60.0)
    assert {fault.kind for seed in range(20) for fault in plan(seed, 60.0)} == set(WEIGHTS)


async def test_endpoint_has_what_it_answered_after_it_was_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    endpoint = LastingEndpoint(tmp_path)
    store = f"dynamodb://lasting?region=eu-west-1&endpoint={endpoint.endpoint.url}"
    try:
        endpoint.start()
        async with community_beside(store, tmp_path) as community:
            ana, room = community.users["ana"].actor, community.channel_id
            sent = [(await community.app.communities.send(ana, room, Draft(f"{n}"))).message_id for n in range(20)]
            endpoint.kill()
            endpoint.start()
            page = await community.app.communities.page(ana, room, limit=100)
            assert [message["messageId"] for message in json.loads(page.json)["items"]] == sent[::-1]
            reader = await community.app.table.changes(OLDEST)
            keys = [change.key.sk for change in (await reader.read(0)).changes]
            assert [sum(id in key for key in keys) for id in sent] == [1] * len(sent)
    finally:
        endpoint.kill()


@pytest.mark.parametrize("kind", sorted(DISTURBANCES))
async def test_disturbed_endpoint_answers_some_requests_and_all_once_it_has_healed(
    kind: Kind, dynamodb_endpoint: Endpoint
) -> None:
    headers = {"x-amz-target": "DynamoDB_20120810.DescribeTable"}
    with start_sharded(dynamodb_endpoint) as proxy:
        async with aiohttp.ClientSession() as http:

            async def ask() -> str:
                try:
                    async with http.post(proxy.url, json={}, headers=headers) as answer:
                        return "throttled" if b"ProvisionedThroughputExceeded" in await answer.read() else "answered"
                except (aiohttp.ClientError, ConnectionResetError):
                    return "cut"

            proxy.disturbance = DISTURBANCES[kind]
            answers = Counter([await ask() for _ in range(40)])
            proxy.disturbance = Disturbance()
            healed = Counter([await ask() for _ in range(10)])
    assert answers[{"throttle": "throttled", "slow endpoint": "answered"}.get(kind, "cut")] > 0
    assert answers["answered"] > 0
    assert set(healed) == {"answered"}
