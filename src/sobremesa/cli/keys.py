"""Commands about who may do what: server keys, signing keys, administrators."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import cyclopts
from rich.console import Console
from rich.table import Table as Grid

from sobremesa.app import Sobremesa
from sobremesa.cli.store import Store, settings_of
from sobremesa.core.actor import KeyId, Tenant
from sobremesa.core.settings import DEFAULT_STORE
from sobremesa.table.errors import TableMissing
from sobremesa.table.opening import require_file

keys_app = cyclopts.App(name="keys", help="Make, list and revoke server keys; rotate the keys that sign tokens.")
admin_app = cyclopts.App(name="admin", help="Say who administers.")
console = Console()
WIDE = 200
"""Columns of a list that goes to another program, which must not lose the end of a line."""

TenantName = Annotated[str, cyclopts.Parameter(help="The tenant that the key belongs to.")]


@keys_app.command
async def create(
    *,
    tenant: TenantName,
    scope: Annotated[
        list[str], cyclopts.Parameter(help="What it may do; give it several times for several.", negative="")
    ],
    label: str | None = None,
    expires_in_days: int | None = None,
    store: Store = DEFAULT_STORE,
) -> None:
    """Make a server key. It is shown once, alone on the last line.

    A store that does not exist is made, so that a server finds its keys when it first starts.
    """
    _note_new_file(store)
    async with Sobremesa.open(settings=settings_of(store), background=False) as app:
        seconds = None if expires_in_days is None else expires_in_days * 86400
        made = await app.server_keys.create_key(Tenant(tenant), scope, label=label, expires_in_seconds=seconds)
    console.print(f"Key {made.key.key_id} of {tenant}. This is the only time that it is shown:", highlight=False)
    console.print(made.text, highlight=False, soft_wrap=True)


@keys_app.command(name="list")
async def list_keys(*, tenant: TenantName = "default", store: Store = DEFAULT_STORE) -> None:
    """List the server keys of a tenant."""
    grid = Grid("key", "scopes", "label", "made", "expires", box=None, pad_edge=False)
    async with Sobremesa.open(settings=settings_of(store), background=False, create=False) as app:
        page = await app.server_keys.list_keys(Tenant(tenant), limit=100)
        while True:
            for key in page.items:
                ends = "never" if key.expires_at is None else f"{datetime.fromtimestamp(key.expires_at, UTC):%Y-%m-%d}"
                grid.add_row(key.key_id, " ".join(sorted(key.scopes)), key.label or "", key.created_at, ends)
            if page.cursor is None:
                break
            page = await app.server_keys.list_keys(Tenant(tenant), limit=100, cursor=page.cursor)
    (console if console.is_terminal else Console(width=WIDE)).print(grid)


@keys_app.command
async def revoke(key_id: str, /, *, store: Store = DEFAULT_STORE) -> None:
    """Make a server key useless, within a second on every node."""
    async with Sobremesa.open(settings=settings_of(store), background=False, create=False) as app:
        await app.server_keys.revoke_key(KeyId(key_id))
    console.print(f"Key {key_id} is revoked.", highlight=False)


@keys_app.command
async def rotate(*, store: Store = DEFAULT_STORE) -> None:
    """Sign tokens with a new key from now on. Tokens that are out stay good until they end."""
    async with Sobremesa.open(settings=settings_of(store), background=False, create=False) as app:
        kid = await app.accounts.rotate_signing_key()
    console.print(f"Tokens are signed with {kid} from now on.", highlight=False)


@admin_app.command
async def grant(user: str, /, *, revoke: bool = False, store: Store = DEFAULT_STORE) -> None:
    """Make somebody an administrator, by user name or e-mail address; with --revoke, no longer one."""
    async with Sobremesa.open(settings=settings_of(store), background=False, create=False) as app:
        person = await app.accounts.grant_admin(user, granted=not revoke)
    console.print(f"{person.username} is {'no longer' if revoke else 'now'} an administrator.", highlight=False)


def _note_new_file(store: str) -> None:
    try:
        require_file(store)
    except TableMissing:
        Console(stderr=True).print(f"{store} does not exist yet: it is made now.", highlight=False, soft_wrap=True)
