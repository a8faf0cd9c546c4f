"""What operators run over the rows of a store: migrations, adoption and recounts."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from sobremesa.domains.accounts import adopting as accounts_adopting
from sobremesa.domains.communities import adopting as communities_adopting
from sobremesa.domains.communities.entities import CHANNELS
from sobremesa.domains.conversations import adopting as conversations_adopting
from sobremesa.domains.conversations import recounting as conversations_recounting
from sobremesa.domains.conversations.entities import CONVERSATIONS
from sobremesa.domains.inboxes import adopting as inboxes_adopting
from sobremesa.domains.notifications import recounting as notifications_recounting
from sobremesa.domains.threads import adopting as threads_adopting
from sobremesa.domains.threads import recounting as threads_recounting
from sobremesa.domains.threads.entities import THREADS
from sobremesa.domains.workspaces import adopting as workspaces_adopting
from sobremesa.domains.workspaces import moving
from sobremesa.domains.workspaces import recounting as workspaces_recounting
from sobremesa.rooms.recounting import recounts as room_recounts
from sobremesa.work.migration import Recipe
from sobremesa.work.recounts import Recounts
from sobremesa.work.table_origin import ADOPTION

if TYPE_CHECKING:
    from sobremesa.app.application import Sobremesa


def workspace_recipe(app: Sobremesa) -> Recipe:
    """Return the recipe that moves items and settings of the older design into workspaces."""
    return moving.recipe(app.table.layout)


def adoption_recipe(app: Sobremesa) -> Recipe:
    """Return the recipe that completes a table created by another program: claims, pointers and keys."""
    table, clock = app.table, app.clock
    moves = [
        *accounts_adopting.moves(table),
        *communities_adopting.moves(table, clock),
        *conversations_adopting.moves(table, clock),
        *threads_adopting.moves(table, clock),
        *workspaces_adopting.moves(app.workspaces.members),
        *inboxes_adopting.moves(table, clock),
    ]
    return Recipe(ADOPTION, moves)


def recounts(app: Sobremesa) -> Recounts:
    """Return the recounts of everything that rows store about other rows, except inboxes."""
    table = app.table
    return Recounts(
        table,
        [
            *room_recounts(CHANNELS, table, app.communities.reaction_cleanup),
            *room_recounts(
                CONVERSATIONS, table, app.conversations.reaction_cleanup, partial(conversations_recounting.check, table)
            ),
            *room_recounts(THREADS, table, app.threads.reaction_cleanup, partial(threads_recounting.check, table)),
            workspaces_recounting.recount(table),
            notifications_recounting.recount(table),
        ],
    )
