"""Creating, completing, describing and dropping a table.

Everything that takes long can be interrupted and run again: it continues to wait for what was begun, and adds the rest.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from sobremesa.table.engines.dynamodb.autoscaling import Autoscaling
from sobremesa.table.engines.dynamodb.client import Client
from sobremesa.table.engines.dynamodb.definitions import STREAM, index_addition, table_definition
from sobremesa.table.engines.dynamodb.responses import (
    BackupsResponse,
    DeletionResponse,
    IndexDescription,
    NothingResponse,
    TableDescription,
    TableResponse,
    TagsResponse,
    TimeToLiveResponse,
)
from sobremesa.table.engines.protocol import TableFacts
from sobremesa.table.errors import (
    Conflict,
    StoreDenied,
    StoreFailed,
    StoreForeign,
    TableError,
    TableExists,
    TableMissing,
    Throttled,
)
from sobremesa.table.layout import IndexLayout, Layout
from sobremesa.table.service_options import ServiceOptions

DEADLINE_SECONDS = 600.0
"""For creating and dropping a table. There is none for an index, which may take hours."""
FIRST_WAIT_SECONDS = 0.05
LONGEST_WAIT_SECONDS = 5.0
MAX_FAILURES = 20
"""How many checks in a row may fail while something is waited for."""
MAX_REFUSALS = 20
"""How often an addition may be refused because another one is under way."""

_tables = msgspec.json.Decoder(TableResponse)
_times_to_live = msgspec.json.Decoder(TimeToLiveResponse)
_backups = msgspec.json.Decoder(BackupsResponse)
_tags = msgspec.json.Decoder(TagsResponse)
_deletions = msgspec.json.Decoder(DeletionResponse)
_nothing = msgspec.json.Decoder(NothingResponse)


class Admin:
    """Creates, describes and drops one table."""

    def __init__(
        self, client: Client, autoscaling: Autoscaling, layout: Layout, store: str, options: ServiceOptions
    ) -> None:
        self._client = client
        self._autoscaling = autoscaling
        self._layout = layout
        self._store = store
        self._options = options
        self._named = {"TableName": layout.table}

    async def create(self) -> None:
        """Create the table and wait until it is active; raise TableExists if there is one, once that is active."""
        problem = f"the table {self._layout.table} is not active yet"
        try:
            await self._client.call("CreateTable", table_definition(self._layout, self._options), _nothing, writes=())
        except TableExists:
            await self._wait(self._is_active, problem)
            raise
        await self._wait(self._is_active, problem)
        await self._enable_time_to_live()
        await self._add_protections()

    async def describe(self) -> TableFacts:
        """Return the description of the table; on AWS its counts are some hours old."""
        table = await self.description()
        answer = await self._client.call("DescribeTimeToLive", self._named, _times_to_live)
        ttl = answer.time_to_live_description
        return TableFacts(
            store=self._store,
            table=self._layout.table,
            status=table.table_status,
            items=table.item_count,
            bytes=table.table_size_bytes,
            indexes=tuple(sorted(index.index_name for index in table.global_secondary_indexes)),
            ttl=ttl.attribute_name if ttl.time_to_live_status in ("ENABLED", "ENABLING") else None,
            stream=table.stream_specification is not None and table.stream_specification.stream_enabled,
            building=tuple(sorted(_unfinished(table))),
        )

    async def describe_operation(self) -> dict[str, str]:
        """Return how the table is operated, by name; what the endpoint does not answer is shown as not available."""
        table = await self.description()
        shown = {
            "billing": table.billing,
            "warm throughput": str(table.warm_throughput or "not available"),
            "deletion protection": "on" if table.deletion_protection_enabled else "off",
            "encryption": table.encryption,
        }
        parts: dict[str, Callable[[], Awaitable[str]]] = {
            "point-in-time recovery": self._describe_recovery,
            "tags": lambda: self._describe_tags(table.table_arn),
        }
        if table.is_provisioned:
            parts["autoscaling"] = self._describe_autoscaling
        for name, part in parts.items():
            try:
                shown[name] = await part()
            except TableError as error:
                shown[name] = f"not available ({error})"
        return shown

    async def complete(self) -> list[str]:
        """Add what the table lacks, one after the other, waiting for each; return what was added.

        StoreForeign if it has something of that name that is otherwise: that is for its owner to change.
        """
        added: list[str] = []
        for index in self._layout.indexes.values():
            added += await self._complete_index(index)
        table = await self._settled()
        stream = table.stream_specification
        if stream is None or not stream.stream_enabled:
            await self._update({"StreamSpecification": STREAM})
            await self._settled()
            added.append("the stream")
        elif stream.stream_view_type != STREAM["StreamViewType"]:
            raise StoreForeign(f"the stream has {stream.stream_view_type}; it must have new and old images")
        facts = await self.describe()
        if facts.ttl is None:
            await self._enable_time_to_live()
            added.append(f"the time to live, {self._layout.ttl}")
        elif facts.ttl != self._layout.ttl:
            raise StoreForeign(f"the time to live is {facts.ttl}; the name map has {self._layout.ttl}")
        return added + await self._add_protections()

    async def drop(self) -> None:
        """Drop the table and wait until it is deleted; raise TableMissing if there is none."""
        try:
            dropped = await self._client.call("DeleteTable", self._named, _deletions, writes=())
        except TableExists as busy:
            raise Conflict(f"the table {self._layout.table} is being created or changed") from busy
        await self._wait(self._is_deleted, f"the table {self._layout.table} is not deleted yet")
        if dropped.table_description is not None and dropped.table_description.is_provisioned:
            # Targets of a table that is gone do nothing: without the permission they stay.
            with contextlib.suppress(StoreDenied):
                await self._autoscaling.deregister()

    async def description(self) -> TableDescription:
        """Call DescribeTable; raise TableMissing if there is no such table."""
        return (await self._client.call("DescribeTable", self._named, _tables)).table

    async def _complete_index(self, index: IndexLayout) -> list[str]:
        """Add an index unless there is one, and wait until it is built; return what was added.

        AWS builds one index at a time, so another run may be first: then this one waits for that index as well.
        """
        was_added = was_being_built = False
        for _ in range(MAX_REFUSALS):
            if not was_added:
                was_being_built |= index.name in _unfinished(await self.description())
            table = await self._settled()
            found = next((each for each in table.global_secondary_indexes if each.index_name == index.name), None)
            if found is not None:
                _refuse_other_keys(found, index)
                _refuse_smaller(found, index)
                how = "the index {}, which an earlier run began" if was_being_built else "the index {}"
                return [how.format(index.name)] if was_added or was_being_built else []
            try:
                await self._update(index_addition(self._layout, index, table))
                was_added = True
            except (Conflict, Throttled):
                await asyncio.sleep(LONGEST_WAIT_SECONDS)
        raise Conflict(
            f"the index {index.name} cannot be added: the table {self._layout.table} is always being changed"
        )

    async def _settled(self) -> TableDescription:
        """Wait until the table and all of its indexes are active, however long that takes, and return them."""
        await self._wait(self._is_active, "", has_deadline=False)
        return await self.description()

    async def _update(self, changes: dict[str, Any]) -> None:
        try:
            await self._client.call("UpdateTable", self._named | changes, _nothing, writes=())
        except TableExists as busy:
            raise Conflict(f"the table {self._layout.table} is being changed; run it again later") from busy

    async def _enable_time_to_live(self) -> None:
        specification = {"Enabled": True, "AttributeName": self._layout.ttl}
        request = self._named | {"TimeToLiveSpecification": specification}
        await self._client.call("UpdateTimeToLive", request, _nothing, writes=())

    async def _add_protections(self) -> list[str]:
        """Add the recovery and the autoscaling of the options, and return what was added."""
        added: list[str] = []
        part = "point-in-time recovery"
        try:
            if self._options.point_in_time_recovery and await self._describe_recovery() == "off":
                await self._wait(self._enable_recovery, f"{part} cannot be added yet")
                added.append(part)
            part = "autoscaling"
            return added + await self._autoscaling.register(index.name for index in self._layout.indexes.values())
        except StoreDenied as denied:
            raise StoreDenied(
                f"the table {self._layout.table} is there, but {part} cannot be added: {denied}. "
                "`sobremesa table adopt` adds it later"
            ) from denied

    async def _enable_recovery(self) -> bool:
        specification = {"PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True}}
        try:
            await self._client.call("UpdateContinuousBackups", self._named | specification, _nothing, writes=())
        except Conflict:
            return False  # AWS is still preparing the backups of a new table
        return True

    async def _describe_recovery(self) -> str:
        answer = await self._client.call("DescribeContinuousBackups", self._named, _backups)
        recovery = answer.continuous_backups_description.point_in_time_recovery_description
        return "on" if recovery.point_in_time_recovery_status == "ENABLED" else "off"

    async def _describe_tags(self, arn: str) -> str:
        tags: list[str] = []
        request = {"ResourceArn": arn}
        while True:
            page = await self._client.call("ListTagsOfResource", request, _tags)
            tags += [f"{tag.key}={tag.value}" for tag in page.tags]
            if page.next_token is None:
                return ", ".join(sorted(tags)) or "none"
            request["NextToken"] = page.next_token

    async def _describe_autoscaling(self) -> str:
        return ", ".join(sorted(map(str, await self._autoscaling.list_targets()))) or "none"

    async def _is_active(self) -> bool:
        try:
            table = await self.description()
        except TableMissing:
            return False  # AWS may not know the new table yet
        return table.table_status == "ACTIVE" and not _unfinished(table)

    async def _is_deleted(self) -> bool:
        try:
            await self.description()
        except TableMissing:
            return True
        return False

    async def _wait(self, reached: Callable[[], Awaitable[bool]], problem: str, *, has_deadline: bool = True) -> None:
        """Wait until something is reached; a check that fails is repeated, since hours of waiting depend on it."""
        wait = FIRST_WAIT_SECONDS
        now = asyncio.get_running_loop().time
        started, failures = now(), 0
        while True:
            try:
                if await reached():
                    return
                failures = 0
            except (Throttled, StoreFailed) as error:
                failures += 1
                if isinstance(error, StoreDenied) or failures > MAX_FAILURES:
                    raise
            if has_deadline and now() - started > DEADLINE_SECONDS:
                raise StoreFailed(f"{problem}, after {DEADLINE_SECONDS:.0f} seconds; run it again to continue to wait")
            await asyncio.sleep(wait)
            wait = min(wait * 2, LONGEST_WAIT_SECONDS)


def _unfinished(table: TableDescription) -> list[str]:
    """Return the names of the indexes that are being built or deleted."""
    return [index.index_name for index in table.global_secondary_indexes if index.index_status != "ACTIVE"]


def _refuse_other_keys(there: IndexDescription, wanted: IndexLayout) -> None:
    keys = [element.attribute_name for element in there.key_schema]
    if keys and keys != [wanted.pk, wanted.sk]:
        raise StoreForeign(f"the index {wanted.name} has the keys {', '.join(keys)}; set them in the name map")


def _refuse_smaller(there: IndexDescription, wanted: IndexLayout) -> None:
    """Raise StoreForeign if an index lacks attributes that it must have; it may have more."""
    has = there.projection
    if has is None or has.projection_type == "ALL":
        return
    if wanted.projects is None:
        raise StoreForeign(f"the index {wanted.name} has the projection {has.projection_type}; it must have ALL")
    if missing := set(wanted.projects) - set(has.non_key_attributes):
        raise StoreForeign(f"the index {wanted.name} does not project {', '.join(sorted(missing))}")
