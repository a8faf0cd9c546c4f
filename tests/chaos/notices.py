"""What must hold of the messages that the product has published to the inboxes of users."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeAlias

from chaos.observations import Notice
from simulation.history import History
from sobremesa.core.actor import UserId

Inbox: TypeAlias = Sequence[Mapping[str, Any]]
"""The messages in the inbox of a user."""


def check_notices(history: History, notices: Mapping[str, Notice], inboxes: Mapping[UserId, Inbox]) -> None:
    """What was acknowledged is once in the inbox of each recipient, other messages at most once, and in no other."""
    for user_id, inbox in inboxes.items():
        for host_id, message_id in {(each["title"], each["messageId"]) for each in inbox}:
            published = notices.get(host_id)
            if published is None or user_id not in published.recipients:
                history.violate("exactly once", f"{user_id} has {host_id}, which was not published to them")
            elif published.message_id not in (None, message_id):
                history.violate("exactly once", f"{host_id} was answered as {published.message_id}, not {message_id}")
        titles = Counter(each["title"] for each in inbox)
        for notice in notices.values():
            is_required = notice.message_id is not None and user_id in notice.recipients
            if titles[notice.host_id] > 1 or (is_required and titles[notice.host_id] == 0):
                detail = f"{user_id} has {notice.host_id} {titles[notice.host_id]} times"
                history.violate("exactly once", detail)


def inbox_differences(shown: Collection[str], counts: tuple[int, int], inbox: Inbox) -> list[str]:
    """Return how what a client shows of its inbox differs from what is there."""
    expected = {each["messageId"] for each in inbox}
    found = [f"shows {id} in the inbox, which is not there" for id in set(shown) - expected]
    found += [f"does not show {id} in the inbox" for id in expected - set(shown)]
    recount = (len(inbox), sum(each["readAt"] is None for each in inbox))
    if counts != recount:
        found.append(f"shows {counts[0]} messages in the inbox, {counts[1]} of them unread, not {recount}")
    return found
