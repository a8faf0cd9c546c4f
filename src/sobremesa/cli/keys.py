"""Commands for server keys, signing keys and administrators."""

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

keys_app = cyclopts.App(name="keys", help="Create, list and revoke server keys; rotate the keys that sign tokens.")
admin_app = cyclopts.App(name="admin", help="Manage administrators.")
console = Console()
WIDE = 200
"""The width of output to a pipe or a file, where lines must not be truncated."""

TenantName = Annotated[str, cyclopts.Parameter(help="The tenant that the key belongs to.")]


@keys_app.command
async def create(
    *,
    tenant: TenantName,
    scope: Annotated[
        list[str], cyclopts.Parameter(help="A scope of the key; repeat the option for several.", negative="")
    ],
    label: str | None = None,
    expires_in_days: int | None = None,
    store: Store = DEFAULT_STORE,
) -> None:
    """Create a server key. It is shown once, on the last line of the output.

    A store that does not exist is created, so that a server finds its keys when it first starts.
    """
    _note_new_file(store)
    async with Sobremesa.open(settings=settings_of(store), background=False) as app:
        seconds = None if expires_in_days is None else expires_in_days * 86400
        created = await app.accounts.server_keys.create_key(
            Tenant(tenant), scope, label=label, expires_in_seconds=seconds
        )
    console.print(f"Created key {created.key.key_id} for tenant {tenant}. It will not be shown again:", highlight=False)
    console.print(created.text, highlight=False, soft_wrap=True)


@keys_app.command(name="list")
async def list_keys(*, tenant: TenantName = "default", store: Store = DEFAULT_STORE) -> None:
    """List the server keys of a tenant."""
    grid = Grid("key", "scopes", "label", "created", "expires", box=None, pad_edge=False)
    async with Sobremesa.open(settings=settings_of(store), background=False, create=False) as app:
        page = await app.accounts.server_keys.list_keys(Tenant(tenant), limit=100)
        while True:
            for key in page.items:
                ends = "never" if key.expires_at is None else f"{datetime.fromtimestamp(key.expires_at, UTC):%Y-%m-%d}"
                grid.add_row(key.key_id, " ".join(sorted(key.scopes)), key.label or "", key.created_at, ends)
            if page.cursor is None:
                break
            page = await app.accounts.server_keys.list_keys(Tenant(tenant), limit=100, cursor=page.cursor)
    (console if console.is_terminal else Console(width=WIDE)).print(grid)


@keys_app.command
async def revoke(key_id: str, /, *, store: Store = DEFAULT_STORE) -> None:
    """Revoke a server key. It takes effect within a second on every node."""
    async with Sobremesa.open(settings=settings_of(store), background=False, create=False) as app:
        await app.accounts.server_keys.revoke_key(KeyId(key_id))
    console.print(f"Revoked key {key_id}.", highlight=False)


@keys_app.command
async def rotate(*, store: Store = DEFAULT_STORE) -> None:
    """Create a new key for signing tokens. Tokens that were issued before stay valid until they expire."""
    async with Sobremesa.open(settings=settings_of(store), background=False, create=False) as app:
        kid = await app.accounts.rotate_signing_key()
    console.print(f"Created signing key {kid}. New tokens are signed with it.", highlight=False)


@admin_app.command
async def grant(user: str, /, *, tenant: str | None = None, revoke: bool = False, store: Store = DEFAULT_STORE) -> None:
    """Make a user an administrator, by username or email address; --revoke removes the role.

    --tenant is the tenant of the username, by default that of users who register.
    """
    async with Sobremesa.open(settings=settings_of(store), background=False, create=False) as app:
        granted = await app.accounts.grant_admin(
            user, granted=not revoke, tenant=None if tenant is None else Tenant(tenant)
        )
    console.print(f"{granted.username} is {'no longer' if revoke else 'now'} an administrator.", highlight=False)


def _note_new_file(store: str) -> None:
    try:
        require_file(store)
    except TableMissing:
        Console(stderr=True).print(f"Creating {store}, which does not exist yet.", highlight=False, soft_wrap=True)
