"""Bots as clients see them."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from sobremesa.core.actor import UserId
from sobremesa.core.clock import Instant
from sobremesa.domains.bots.service import Bot, CreatedBot
from sobremesa.http.endpoints import Output


class BotView(Output):
    """A bot."""

    user_id: UserId
    username: str
    display_name: str | None
    avatar_url: str | None
    bot: bool
    created_by: Annotated[str, Meta(description="The user or the server key that created it.")]
    created_at: Instant


class BotTokenView(Output):
    """A new token of a bot. It is shown only here."""

    token: Annotated[str, Meta(examples=["sbb_01JGSYB3ZZ4Q0X5V6W7E8R9T0A_…"])]


class NewBotView(BotView):
    """A new bot, with its token, which is shown only here."""

    token: Annotated[str, Meta(examples=["sbb_01JGSYB3ZZ4Q0X5V6W7E8R9T0A_…"])]


def bot_view(bot: Bot) -> BotView:
    row, profile = bot
    return BotView(
        row.user_id,
        profile.username,
        profile.display_name,
        profile.avatar_url,
        True,
        row.created_by,
        row.created_at,
    )


def new_bot_view(created: CreatedBot) -> NewBotView:
    row, profile = created.bot
    return NewBotView(
        row.user_id,
        profile.username,
        profile.display_name,
        profile.avatar_url,
        True,
        row.created_by,
        row.created_at,
        created.token,
    )
