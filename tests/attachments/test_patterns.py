"""Every declared access pattern of files is used."""

from __future__ import annotations

from attachments import samples
from attachments.test_in_messages import uploaded
from cheap import CHEAP
from communities.environment import actor_of
from pattern_tests import OPENING
from sobremesa.app import REGISTRY as EVERYTHING
from sobremesa.app import Sobremesa
from sobremesa.core.clock import Instant
from sobremesa.core.settings import Settings
from sobremesa.domains.attachments import entities
from sobremesa.domains.attachments.entities import Attachment, file_by_id
from sobremesa.domains.attachments.stores import StorageKey
from sobremesa.table import Create, Registry
from sobremesa.table.capacity import UNNAMED

REGISTRY = Registry.of(entities)


async def test_a_file_is_found_by_its_id_and_no_other(app: Sobremesa) -> None:
    files = [
        Attachment(
            file_id=entities.FileId(name),
            owner_id=actor_of(name).user_id,
            name=name,
            mime="text/plain",
            size=1,
            storage_key="k",
            created_at=Instant("2026-11-16T14:00:00.000Z"),
        )
        for name in ("one", "two")
    ]
    await app.table.write(files=list(map(Create, files)))

    assert await app.table.get(file_by_id(file_id="two")) == files[1]
    assert await app.table.get(file_by_id(file_id="three")) is None


async def test_every_declared_pattern_is_used_and_all_requests_are_named(bucket: str) -> None:
    settings = Settings(**CHEAP, rate_limits="off", files=bucket)
    async with Sobremesa.open("sqlite://", settings=settings, background=False) as app:
        ana = actor_of("ana")
        created = await uploaded(app, ana)
        await app.attachments.get(ana, created.file_id)
        await app.attachments.remove(ana, created.file_id)
        size = len(samples.TEXT)
        file_id, presigned = await app.attachments.presign(ana, name="x.txt", mime="text/plain", size=size)
        row = await app.table.get(file_by_id(file_id=file_id))
        assert row is not None
        spooled = await app.attachments.store.spool("x")
        spooled.write_bytes(samples.TEXT)
        await app.attachments.store.put(StorageKey(row.storage_key), spooled, "text/plain")
        await app.attachments.complete(ana, file_id)
        met = set(app.table.meter.totals())

    assert presigned.method == "PUT"
    assert met - OPENING == set(REGISTRY.patterns)
    assert UNNAMED not in met


def test_the_registry_of_the_application_has_them_all() -> None:
    assert set(REGISTRY.patterns) == {"FILE.1", "FILE.2", "FILE.3", "FILE.4"}
    assert set(REGISTRY.patterns) <= set(EVERYTHING.patterns)
    assert Attachment in EVERYTHING.entities
