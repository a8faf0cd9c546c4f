"""Some seeds of the simulation hold, a run repeats exactly, and a broken property is found."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from lengths import SIMULATED_SEEDS
from simulation import virtual_time
from simulation.clients import Frame
from simulation.oracle import REMOTE_SECONDS, Removal, Send
from simulation.scenario import Mode, Scenario
from sobremesa.core.actor import UserId
from sobremesa.core.clock import instant
from sobremesa.core.ids import MessageId
from sobremesa.glue.ready_snapshot import Gaps
from sobremesa.live.session_frames import Gap

TESTS = Path(__file__).parents[1]
SECONDS = 15
"""How long users are busy, in virtual time."""
GAPS_SEED = 5
"""In which clients get gaps."""


def simulated(*arguments: str, seconds: int = SECONDS) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own: it needs a fixed seed of hashes."""
    environment = {**os.environ, "PYTHONPATH": str(TESTS)}
    command = [sys.executable, "-m", "simulation", *arguments, "--seconds", str(seconds)]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


@pytest.mark.long
def test_seeds_hold() -> None:
    ran = simulated("--seeds", str(SIMULATED_SEEDS), "--jobs", "1")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert " 0 failed" in ran.stdout


@pytest.mark.parametrize("mode", ["dynamodb", "nodes"])
def test_same_seed_gives_the_same_history(mode: str) -> None:
    first, second = (simulated("--seed", "2", "--mode", mode, seconds=8) for _ in range(2))
    assert first.returncode == 0, first.stdout[-2000:] + first.stderr
    assert len(first.stdout.splitlines()) > 100
    assert first.stdout == second.stdout


# What checks see: each of these breaks a property when everything is quiet.


def forget_message(scenario: Scenario) -> None:
    """A message that was answered is not there."""
    lost = Send("user1-0", scenario.rooms[0], UserId("user1"), message_id=MessageId("01"))
    scenario.oracle.sends[lost.nonce] = lost


def undo_edit(scenario: Scenario) -> None:
    """An edit that was answered is not there."""
    send = next(each for each in scenario.oracle.sends.values() if each.message_id and not each.may_be_deleted)
    send.version = send.tried_version = send.tried_version + 1


def miss_event(scenario: Scenario) -> None:
    """A client has missed the newest message."""
    scenario.clients[0].messages[scenario.rooms[0]].popitem()


def swap_events(scenario: Scenario) -> None:
    """A connection has received the messages of one node in another order."""
    for (connection, _), ids in scenario.oracle.orders.items():
        own = {send.message_id: send.published_by for send in scenario.oracle.sends.values() if not send.may_be_deleted}
        if sum(own.get(id) == connection.gateway for id in ids) > 1:
            ids.reverse()
            scenario.oracle.rejoined.discard(connection.user_id)
            return


def swap_on_one_node(scenario: Scenario) -> None:
    """Two connections have received messages in different orders."""
    orders = next(each for each in scenario.oracle.live_orders.values() if len(each) > 1)
    one, two, *_ = orders
    orders[one], orders[two] = [MessageId("1"), MessageId("2")], [MessageId("2"), MessageId("1")]
    scenario.oracle.rejoined -= {one.user_id, two.user_id}


def remove_member(scenario: Scenario) -> None:
    """A user who has access was answered to be removed."""
    members = scenario.oracle.members
    members[next(each.user_id for each in scenario.writers if members[each.user_id] == "in")] = "out"


def disconnect(scenario: Scenario) -> None:
    """A client does not come back."""
    scenario.clients[-1].disconnect()


def deliver(scenario: Scenario, send: Send) -> None:
    """A client receives a message."""
    client = scenario.clients[1]
    assert client.connection is not None
    payload = {"roomId": send.room, "messageId": "02", "roomKind": "channel", "content": f"{send.nonce} v0"}
    frame = Frame("message.created", payload)
    scenario.oracle.delivered(client, client.connection, frame, is_known=False, is_repeated=False)


def deliver_after_removal(scenario: Scenario) -> None:
    """The node that answered the removal of a member delivers something to them."""
    client = scenario.clients[1]
    assert client.connection is not None
    scenario.oracle.removed(client.actor.user_id, client.connection.gateway)
    deliver(scenario, Send("user2-0", scenario.rooms[0], UserId("user2")))


def deliver_after_removal_elsewhere(scenario: Scenario) -> None:
    """A node delivers to a member whom another one removed what was sent more than a second later."""
    scenario.oracle.removed(scenario.clients[1].actor.user_id, "another.1")
    later = asyncio.get_running_loop().time() + REMOTE_SECONDS + 0.1
    send = scenario.oracle.sends["user2-0"] = Send("user2-0", scenario.rooms[0], UserId("user2"), later)
    deliver(scenario, send)


def deliver_after_deletion(scenario: Scenario) -> None:
    """A client receives a message that it was informed is deleted."""
    scenario.clients[1].deletions.add("02")
    deliver(scenario, Send("user2-0", scenario.rooms[0], UserId("user2")))


def deliver_deleted_content(scenario: Scenario) -> None:
    """A node delivers a message that it had published and deleted before the client connected."""
    connection = scenario.clients[1].connection
    assert connection is not None
    send = Send("user2-0", scenario.rooms[0], UserId("user2"), published_by=connection.gateway)
    send.deletion = Removal(connection.opened_at - 1, connection.gateway)
    scenario.oracle.sends[send.nonce] = send
    deliver(scenario, send)


TAMPERED: dict[Callable[[Scenario], None], str] = {
    forget_message: "exactly once",
    undo_edit: "what was answered stays",
    miss_event: "snapshot and events are the present",
    swap_events: "one order",
    remove_member: "members have access",
    disconnect: "clients come back",
    deliver_after_removal: "nothing after a removal",
    deliver_after_deletion: "nothing after a deletion",
    deliver_deleted_content: "deleted content",
}
OF_NODES: dict[Callable[[Scenario], None], str] = {
    swap_on_one_node: "one order",
    deliver_after_removal_elsewhere: "nothing after a removal",
}


@pytest.mark.parametrize(("mode", "tampered"), [("sqlite", TAMPERED), ("nodes", TAMPERED), ("nodes", OF_NODES)])
def test_broken_properties_are_found(mode: Mode, tampered: dict[Callable[[Scenario], None], str]) -> None:
    """All in one run, which takes a second: each rule is violated only by what breaks it."""

    def tamper(scenario: Scenario) -> None:
        for each in tampered:
            each(scenario)

    scenario = Scenario(4, mode, 4.0)
    virtual_time.run(scenario.run(tamper), 4)
    assert {violation.split(":")[0] for violation in scenario.history.violations} == {*tampered.values()}


@pytest.mark.parametrize("mode", ["sqlite", "nodes"])
def test_run_that_nothing_breaks_has_no_violations(mode: Mode) -> None:
    scenario = Scenario(4, mode, 4.0)
    virtual_time.run(scenario.run(), 4)
    assert not scenario.history.violations


def test_gap_that_names_too_little_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    async def find_no_rooms(self: Gaps, *_: object) -> Gap:
        return Gap(instant(0), [])

    monkeypatch.setattr(Gaps, "find", find_no_rooms)
    scenario = Scenario(GAPS_SEED, "nodes", 20.0)
    virtual_time.run(scenario.run(), GAPS_SEED)
    assert {violation.split(":")[0] for violation in scenario.history.violations} == {
        "snapshot and events are the present"
    }
