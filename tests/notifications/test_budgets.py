"""What scheduling costs: it happens for every message, in the background, and for every user of a broadcast."""

from __future__ import annotations

from zlib import crc32

from notifications.environment import DigestEnvironment
from sobremesa.domains.accounts.entities import DIGEST_SHARDS
from sobremesa.table import OLDEST, measure
from sobremesa.work.jobs.entities import open_jobs


async def test_only_the_first_message_writes_a_row_and_later_ones_read_nothing_more_than_the_participants(
    env: DigestEnvironment,
) -> None:
    ana, ben = await env.user("ana"), await env.user("ben")
    room = await env.direct(ana, ben)
    assert env.app.digests is not None
    changes = env.app.digests.changes
    await env.app.change_consumer.catch_up()

    calls = []
    for content in ("one", "two", "three"):
        await env.send(ben, room, content)
        reader = await env.app.table.changes(OLDEST)
        for change in (await reader.read(0)).changes:
            changes.collect(change)
        await reader.close()
        with measure() as measured:
            await changes.flush()
        calls.append((measured.calls, measured.write > 0))
    # The participants, the state of one user and the transaction; then the participants alone.
    assert calls == [(3, True), (1, False), (1, False)]


async def test_the_list_for_digests_costs_one_write_unit(env: DigestEnvironment) -> None:
    await env.upsert("ana")
    written = []
    for name, email in (("ben", None), ("cleo", "cleo@example.com"), ("ana", "ana@example.com")):
        with measure() as measured:
            await env.upsert(name, email=email)
        written.append(measured.write)
    without, with_address, changed = written
    assert with_address == without + 1
    with measure() as measured:
        await env.upsert("ben", display_name="Ben")
    assert changed == measured.write + 1


async def test_a_walk_reads_pages_and_writes_its_progress_alone_if_all_are_scheduled(env: DigestEnvironment) -> None:
    users = [await env.upsert(f"user{number}", email=f"user{number}@example.com") for number in range(30)]
    await env.broadcast()
    await env.schedule()
    await env.broadcast()
    await env.app.change_consumer.catch_up()
    [job] = [job async for job in env.app.table.every(open_jobs())]
    other = await env.open_app()
    assert other.digests is not None
    with measure() as measured:
        await other.digests.broadcasts.run(job.subject)
    # For each shard the progress, the broadcast, the users and their schedules, and the progress again; and its end.
    filled = {crc32(who.user_id.encode()) % DIGEST_SHARDS for who in users}
    assert measured.calls == DIGEST_SHARDS * 4 + len(filled) + 1
    assert measured.write == DIGEST_SHARDS
