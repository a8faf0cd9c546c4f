"""Every declared access pattern finds its rows and no others, and every declared write happens."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from communities.environment import Community
from pattern_tests import Asked, PatternTests, require_writes
from slash_commands.test_commands import invoke, new_bot, register
from sobremesa.core.clock import instant
from sobremesa.domains.commands import entities as commands
from sobremesa.domains.commands.entities import CommandId
from sobremesa.domains.communities.entities import ServerId
from sobremesa.table import Entity, Registry
from sobremesa.table.capacity import UNNAMED

REGISTRY = Registry.of(commands)
NOW = instant(1_763_000_000_000)
FAR = 4_102_444_800
S, T = ServerId("s"), ServerId("t")
ABOUT: dict[str, Any] = {"server_id": S, "channel_id": "c", "user_id": "ana", "username": "ana", "bot_id": "bot"}


class Dataset(NamedTuple):
    """Two or more rows of every kind, so that a wrong query finds too much."""

    commands: list[commands.SlashCommand]
    invocations: list[commands.Invocation]
    responses: list[commands.CommandResponse]

    def rows(self) -> list[Entity]:
        return [row for held in self for row in held]


READS: dict[str, Callable[[Dataset], Asked]] = {
    "CMD.1": lambda s: (commands.commands_of(server_id=S), s.commands[:2]),
    "CMD.2": lambda s: (commands.command_by_name(server_id=S, name="b"), [s.commands[1]]),
    "CMD.3": lambda s: (commands.invocation_by_id(command_id="2"), [s.invocations[1]]),
    "CMD.4": lambda s: (commands.response_by_id(command_id="1", response_id="r2"), [s.responses[1]]),
}


class TestPatterns(PatternTests):
    registry = REGISTRY
    reads = READS

    def create_dataset(self) -> Dataset:
        def command(server_id: ServerId, name: str) -> commands.SlashCommand:
            more: dict[str, Any] = {"created_at": NOW, "updated_at": NOW, "bot_id": "bot"}
            return commands.SlashCommand(server_id=server_id, name=name, description="x", **more)

        return Dataset(
            [command(S, "a"), command(S, "b"), command(T, "a")],
            [
                commands.Invocation(
                    command_id=CommandId(id), name="a", created_at=NOW, expires_at=NOW, ttl=FAR, **ABOUT
                )
                for id in ("1", "2")
            ],
            [
                commands.CommandResponse(
                    command_id=CommandId(id), response_id=response, visibility="private", name="a", body_hash="x",
                    created_at=NOW, ttl=FAR, **ABOUT,
                )
                for id, response in (("1", "r1"), ("1", "r2"), ("2", "r2"))
            ],
        )  # fmt: skip


async def test_every_declared_write_happens_and_none_goes_without_a_name(community: Community) -> None:
    app = community.app
    unnamed = app.table.meter.totals().get(UNNAMED)
    bot = await new_bot(community)
    await register(community, bot, bot)
    await app.commands.respond(bot, await invoke(community, community.member), "Sunny", "private")
    await app.commands.delete(bot, community.server_id, "weather")

    met = app.table.meter.totals()
    require_writes(REGISTRY, met)
    assert met.get(UNNAMED) == unnamed, "every write has a pattern"
