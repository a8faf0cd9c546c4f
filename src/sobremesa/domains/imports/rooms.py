"""The rooms of an import: those that it names, and those that it declares and creates once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from sobremesa.core.actor import Actor, Tenant, UserId
from sobremesa.core.clock import Clock
from sobremesa.core.errors import NotFound
from sobremesa.core.ids import RoomId, RoomKindName
from sobremesa.domains.imports.entities import ImportReference, ReferenceKind, create_reference, reference_of
from sobremesa.domains.imports.errors import KeyOfAnother, RoomMissing
from sobremesa.domains.imports.records import ChannelRecord, ConversationRecord, RoomRecord, ServerRecord
from sobremesa.domains.imports.users import ImportUsers
from sobremesa.rooms.importing import ImportWriter, RoomImports
from sobremesa.table import Create, Table, hash_part
from sobremesa.table.cache import Cache
from sobremesa.table.errors import BadKey, ConditionFailed

REFERENCE = "ref:"
CACHED_ROOMS = 10_000


class RoomCreation(Protocol):
    """Creates servers and rooms as their future owners would. `key` makes a repeated creation return the first one."""

    async def create_server(self, owner: Actor, members: Sequence[UserId], *, name: str, key: str) -> str: ...

    async def create_channel(
        self, tenant: Tenant, server_id: str, *, name: str, topic: str | None, key: str
    ) -> RoomId: ...

    async def create_conversation(
        self, creator: Actor, others: Sequence[UserId], *, name: str | None, direct: bool, key: str
    ) -> RoomId: ...


class OpenRoom(NamedTuple):
    """A room that an import writes into."""

    imports: RoomImports
    room_id: RoomId
    writer: ImportWriter


class ImportedRooms:
    """The rooms of one import into one tenant."""

    def __init__(
        self,
        table: Table,
        clock: Clock,
        kinds: Sequence[RoomImports],
        creation: RoomCreation,
        users: ImportUsers,
        tenant: Tenant,
    ) -> None:
        self._table = table
        self._clock = clock
        self._kinds = kinds
        self._creation = creation
        self._users = users
        self._tenant = tenant
        self._open: Cache[tuple[str, RoomKindName | None], OpenRoom] = Cache(CACHED_ROOMS)

    async def require(self, room: str, kind: RoomKindName | None) -> OpenRoom:
        """Return a room by its id or by `ref:{key}`; RoomMissing if it is not in the tenant."""
        known = self._open.find((room, kind))
        if known is not None:
            return known
        room_id, found_kind = RoomId(room), kind
        if room.startswith(REFERENCE):
            reference = await self._find_reference(room)
            if reference is None or reference.kind == "server":
                raise RoomMissing
            room_id, found_kind = RoomId(reference.target_id), reference.kind
        opened = await self._find(room_id, found_kind)
        self._open.keep((room, kind), opened)
        return opened

    async def create(self, record: RoomRecord) -> None:
        """Create what a record declares, unless an import did so before."""
        reference = await self._find_reference(REFERENCE + record.key)
        if reference is None:
            target_id = await self._create(record)
            reference = ImportReference(
                tenant=self._tenant,
                key_hash=hash_part(record.key),
                source_key=record.key,
                kind=record.type,
                target_id=target_id,
                created_at=self._clock.now(),
            )
            try:
                await self._table.write(Create(reference), pattern=create_reference)
            except ConditionFailed:
                reference = await self._find_reference(REFERENCE + record.key)
        if reference is None or reference.kind != record.type:
            raise KeyOfAnother

    async def _create(self, record: RoomRecord) -> str:
        key = f"import:{record.key}"
        if isinstance(record, ServerRecord):
            owner, *members = await self._users.require([record.owner, *record.members])
            others = [member.user_id for member in members]
            return await self._creation.create_server(owner, others, name=record.name, key=key)
        if isinstance(record, ConversationRecord):
            creator, *rest = await self._users.require(record.members)
            others = [each.user_id for each in rest]
            return await self._creation.create_conversation(
                creator, others, name=record.name, direct=record.direct, key=key
            )
        server_id = await self._server_of(record)
        return await self._creation.create_channel(
            self._tenant, server_id, name=record.name, topic=record.topic, key=key
        )

    async def _server_of(self, record: ChannelRecord) -> str:
        if not record.server.startswith(REFERENCE):
            return record.server
        reference = await self._find_reference(record.server)
        if reference is None or reference.kind != "server":
            raise NotFound("There is no such server in this tenant.")
        return reference.target_id

    async def _find(self, room_id: RoomId, kind: RoomKindName | ReferenceKind | None) -> OpenRoom:
        for imports in self._kinds:
            if kind not in (None, imports.kind.name):
                continue
            try:
                found = await imports.find_room(room_id)
            except BadKey:
                break  # an invalid id belongs to no room
            if found is not None and found.tenant == self._tenant:
                writer = ImportWriter(self._table, imports, room_id, self._users)
                return OpenRoom(imports, room_id, writer)
        raise RoomMissing

    async def _find_reference(self, reference: str) -> ImportReference | None:
        key_hash = hash_part(reference.removeprefix(REFERENCE))
        return await self._table.get(reference_of(tenant=self._tenant, key_hash=key_hash))
