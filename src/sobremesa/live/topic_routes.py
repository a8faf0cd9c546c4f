"""The topics of a publication: those of its event, and those whose nodes must learn of its audience change."""

from __future__ import annotations

from typing import Final

from sobremesa.live.events import AudienceChange, Publication, Topic, server_of, user

ALL_NODES: Final = Topic("nodes:all")
"""A topic that every node receives."""
READERS: Final = Topic("nodes:readers")
"""A topic that the nodes receive which read a shard of the change stream."""


def routes_of(publication: Publication) -> tuple[Topic, ...]:
    """Return the topics of a publication.

    A membership matters where its user is connected, which is where the user's own topic is received: the topic of the
    room may not be received there yet.
    """
    event, change = publication.event, publication.audience
    found = dict.fromkeys(() if event is None else event.topics)
    if change is not None:
        found |= dict.fromkeys(_concerned(change))
    return tuple(found)


def _concerned(change: AudienceChange) -> list[Topic]:
    found = [user(each.user_id) for each in change.adds]
    found += [each.topic if each.user_id is None else user(each.user_id) for each in change.removes]
    found += [server_of(topic) or topic for topic in change.rechecks]
    if change.ends:
        found.append(ALL_NODES if change.of is None else user(change.of))
    return found
