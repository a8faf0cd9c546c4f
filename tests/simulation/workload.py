"""What users do: they send with nonces, edit, delete, react and read, and an owner adds and removes members."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, TypeVar

from simulation.nodes import Node, NodeGone
from simulation.oracle import Removal, Send, content_of
from sobremesa.core.actor import Actor
from sobremesa.core.errors import Busy, NotFound, Refusal
from sobremesa.rooms.sending import Draft
from sobremesa.rooms.views import SentView
from sobremesa.table.errors import TableError

if TYPE_CHECKING:
    from simulation.scenario import Scenario

T = TypeVar("T")
Verb = Callable[[Node], Coroutine[Any, Any, T]]

TIMEOUT_SECONDS = 8.0
ATTEMPTS = 4
RETRY_SECONDS = 0.5
EMOJIS = ("👍", "🎉")


class Unanswered(Exception):
    """A request failed or was not answered: its outcome is unknown."""


async def ask(scenario: Scenario, who: str, what: str, verb: Verb[T], *, seconds: float | None = None) -> T:
    """Run a verb on one of the nodes, as a client does; Unanswered if the outcome is unknown.

    After a timeout the request may still be under way, so only those with a nonce have one.
    """
    node = scenario.any_node()
    if node is None:
        await asyncio.sleep(RETRY_SECONDS)
        raise Unanswered
    try:
        async with asyncio.timeout(seconds):
            answer = await node.run(verb(node))
    except (NodeGone, TableError, TimeoutError, Busy) as error:
        scenario.history.note(who, "unanswered", f"{what} on {node.name}: {type(error).__name__}")
        await asyncio.sleep(RETRY_SECONDS)
        raise Unanswered from None
    except Refusal as error:
        scenario.history.note(who, "refused", f"{what} on {node.name}: {type(error).__name__}")
        raise
    except Exception as error:
        scenario.history.violate("only known errors", f"{what} on {node.name}: {error!r}")
        raise Unanswered from error
    scenario.history.note(who, "answered", f"{what} on {node.name}")
    return answer


class Writer:
    """One user who writes."""

    def __init__(self, scenario: Scenario, name: str, actor: Actor, seed: str) -> None:
        self._scenario = scenario
        self._name = name
        self._actor = actor
        self._chance = random.Random(seed)
        self._sent: list[Send] = []
        self._number = 0

    async def run(self) -> None:
        """Write until users are quiet."""
        while self._scenario.is_busy:
            await asyncio.sleep(self._chance.expovariate(2.0))
            verb = self._chance.choices((self._send, self._edit, self._delete, self._react), (70, 15, 8, 7))[0]
            try:
                await verb()
            except (Unanswered, Refusal):
                continue

    async def _send(self) -> None:
        self._number += 1
        room = self._chance.choice(self._scenario.rooms)
        now = asyncio.get_running_loop().time()
        send = Send(f"{self._name}-{self._number}", room, self._actor.user_id, now)
        self._scenario.oracle.sends[send.nonce] = send
        draft = Draft(content_of(send.nonce, 0), nonce=send.nonce)
        for attempt in range(ATTEMPTS):
            asked: list[Node] = []

            def verb(node: Node, asked: list[Node] = asked) -> Coroutine[Any, Any, SentView]:
                asked.append(node)
                return self._scenario.service(node, room).send(self._actor, room, draft)

            try:
                sent = await ask(self._scenario, self._name, f"send {send.nonce}", verb, seconds=TIMEOUT_SECONDS)
            except Unanswered:
                continue
            if attempt == 0:
                send.published_by = asked[0].incarnation
            self._scenario.oracle.acknowledged(send, sent.message_id)
            self._sent.append(send)
            return

    async def _edit(self) -> None:
        send = self._pick()
        if send is None or send.message_id is None:
            return
        message_id = send.message_id
        send.tried_version += 1
        version, content = send.tried_version, content_of(send.nonce, send.tried_version)
        await ask(
            self._scenario,
            self._name,
            f"edit {content}",
            lambda node: self._scenario.service(node, send.room).edit(self._actor, send.room, message_id, content),
        )
        send.version = version

    async def _delete(self) -> None:
        send = self._pick()
        if send is None or send.message_id is None:
            return
        message_id = send.message_id
        send.may_be_deleted = True
        self._sent.remove(send)
        asked: list[Node] = []

        def verb(node: Node) -> Coroutine[Any, Any, None]:
            asked.append(node)
            return self._scenario.service(node, send.room).delete_message(self._actor, send.room, message_id)

        await ask(self._scenario, self._name, f"delete {send.nonce}", verb)
        send.deletion = Removal(asyncio.get_running_loop().time(), asked[0].incarnation)
        send.is_deleted = True

    async def _react(self) -> None:
        send = self._pick()
        if send is None or send.message_id is None:
            return
        message_id, emoji, adds = send.message_id, self._chance.choice(EMOJIS), self._chance.random() < 0.7

        def verb(node: Node) -> Coroutine[Any, Any, None]:
            rooms = self._scenario.service(node, send.room)
            return (rooms.react if adds else rooms.unreact)(self._actor, send.room, message_id, emoji)

        await ask(self._scenario, self._name, f"{'react to' if adds else 'unreact to'} {send.nonce}", verb)

    def _pick(self) -> Send | None:
        return self._chance.choice(self._sent) if self._sent else None


class Owner:
    """The owner of the server, who removes members; the product's backend adds them again."""

    def __init__(self, scenario: Scenario, seed: str) -> None:
        self._scenario = scenario
        self._chance = random.Random(seed)

    async def run(self) -> None:
        """Add and remove members until users are quiet."""
        while self._scenario.is_busy:
            await asyncio.sleep(self._chance.uniform(0.5, 4.0))
            members = self._scenario.oracle.members
            outside = [actor for actor in self._scenario.writers if members[actor.user_id] != "in"]
            actor = self._chance.choice(outside or self._scenario.writers)
            try:
                if members[actor.user_id] == "in":
                    await self._remove(actor)
                else:
                    await self.add(actor)
            except (Unanswered, Refusal):
                continue

    async def add(self, actor: Actor) -> None:
        """Add a user to the server."""
        scenario, user_id = self._scenario, actor.user_id
        scenario.oracle.adding(user_id)
        await ask(
            scenario,
            "backend",
            f"add {actor.username}",
            lambda node: node.app.communities.members.add(scenario.backend, scenario.server_id, user_id),
        )
        scenario.oracle.members[user_id] = "in"

    async def _remove(self, actor: Actor) -> None:
        scenario, user_id = self._scenario, actor.user_id
        scenario.oracle.members[user_id] = "unknown"

        async def verb(node: Node) -> None:
            await node.app.communities.members.remove(scenario.owner, scenario.server_id, user_id)
            # On the node itself: nothing may be delivered from this moment on.
            scenario.oracle.removed(user_id, node.incarnation)

        try:
            await ask(scenario, "owner", f"remove {actor.username}", verb)
        except NotFound:
            scenario.oracle.members[user_id] = "out"
