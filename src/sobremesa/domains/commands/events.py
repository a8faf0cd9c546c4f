"""Events of slash commands: a call for the bot, and a private response for the user who called."""

from __future__ import annotations

from sobremesa.domains.commands.entities import CommandResponse, Invocation
from sobremesa.domains.commands.views import InvocationView, ResponseView, invocation_view, response_view
from sobremesa.live.events import EventType, Publication, user
from sobremesa.live.translation import Seen, Translation

command_invoked = EventType(
    "command.invoked", InvocationView, "A user called a slash command that you answer.", to="the bot"
)
command_responded = EventType(
    "command.responded",
    ResponseView,
    "A bot answered your slash command privately. A public response is a message.",
    to="the user who called the command",
)


class CommandEvents:
    """Maps changed rows of commands to events. Rows that expire publish nothing."""

    def register(self, translation: Translation) -> None:
        translation.on(Invocation, self._invocation, fields=())
        translation.on(CommandResponse, self._response, fields=())

    async def _invocation(self, seen: Seen[Invocation]) -> list[Publication]:
        if seen.old is not None or seen.new is None:
            return []
        return [command_invoked(invocation_view(seen.new), user(seen.new.bot_id))]

    async def _response(self, seen: Seen[CommandResponse]) -> list[Publication]:
        if seen.old is not None or seen.new is None or seen.new.visibility == "public":
            return []
        return [command_responded(response_view(seen.new), user(seen.new.user_id))]
