"""Applies decisions of moderators to cards and tabs, in the transaction of the decision."""

from __future__ import annotations

from collections.abc import Sequence

from sobremesa.domains.threads.entities import Tab, card_by_id, tab_by_name
from sobremesa.rooms.entities import BLOCKED, CLEAN, Flags, Message, ModerationCase
from sobremesa.rooms.judging import REVIEWED
from sobremesa.rooms.rendering import flags_view
from sobremesa.rooms.reviewing import ReviewedTab
from sobremesa.table import Operation, Table, Update, equals, set_to
from sobremesa.table.errors import BadKey


class ThreadReview:
    """The cards and tabs of moderation cases."""

    def __init__(self, table: Table) -> None:
        self._table = table

    async def related_operations(self, message: Message, flags: Flags | None) -> Sequence[Operation]:
        """Return the operations that give the card with this message's payload the flags of the message."""
        if message.acted is None:
            return ()
        card_id = message.acted.get("cardId", message.message_id)
        try:
            card = await self._table.get(card_by_id(room_id=message.room_id, message_id=card_id))
        except BadKey:  # another writer's action
            return ()
        if card is None or (card.payload_of or card.message_id) != message.message_id:
            return ()
        return [Update(card.own_key(), set_to(flags=flags), when=equals("version", card.version))]

    async def find_tab(self, case: ModerationCase) -> ReviewedTab | None:
        tab = await self._find(case)
        if tab is None:
            return None
        return ReviewedTab(tab.tab, tab.shown, tab.source_version, flags_view(tab.flags), tab.nsfw_band, tab.updated_at)

    async def decide_tab(self, case: ModerationCase, *, block: bool) -> Sequence[Operation]:
        """Return the operations of a decision on a tab. An approval covers only the content that the case is about."""
        tab = await self._find(case)
        if tab is None or not (block or _is_the_one(tab, case)):
            return ()
        changes = set_to(flags=_blocked(tab.flags) if block else None)
        return [Update(tab.own_key(), changes, when=equals("source_version", tab.source_version))]

    async def _find(self, case: ModerationCase) -> Tab | None:
        return await self._table.get(tab_by_name(room_id=case.room_id, tab=case.tab), consistent=True)


def _is_the_one(tab: Tab, case: ModerationCase) -> bool:
    is_later = tab.updated_at is not None and tab.updated_at > case.created_at
    return tab.moderation != CLEAN and not is_later


def _blocked(before: Flags | None) -> Flags:
    hints = [] if before is None else [hint for hint in before.policy_hints if hint != REVIEWED]
    return Flags(moderation=BLOCKED, policy_hints=[*hints, REVIEWED])
