"""Old rows become those of a workspace, while users read and write there and the old program goes on writing."""

from __future__ import annotations

import asyncio

import pytest

from communities.conftest import Ahead
from communities.environment import actor_of
from migration.before import Before, hash_of_number, old_item, old_setting
from sobremesa.core.errors import NotFound, StaleVersion
from sobremesa.domains.workspaces.entities import Item, SettingName, item_by_id
from sobremesa.table import Put, Update, set_to
from sobremesa.table.errors import BadCursor
from sobremesa.work.migration import Migrations
from sobremesa.work.migration.errors import MigrationRunning, NotPlanned, NotProven, WrongPhase


def titles(items: list[Item]) -> list[str]:
    return sorted(item.title for item in items)


def old_titles(count: int) -> list[str]:
    return sorted(f"Old item {number}" for number in range(count))


async def look_again(clock: Ahead) -> None:
    """Let a second pass, after which all readers know a new phase."""
    clock.move(seconds=2)


async def test_before_a_plan_old_rows_belong_to_no_migration(before: Before) -> None:
    assert await before.items() == []
    with pytest.raises(NotFound):
        await before.app.workspaces.items.get(before.owner, before.workspace_id, before.id_of(1))
    with pytest.raises(NotPlanned):
        await before.migrations().backfill()


async def test_from_the_plan_on_old_rows_are_read_in_their_workspace_only(before: Before, clock: Ahead) -> None:
    app, at = before.app, before.workspace_id
    stranger = actor_of("sam")
    other = await app.workspaces.create(stranger, name="Another")
    native = await app.workspaces.items.create(before.owner, at, title="New")
    await before.plan()
    await look_again(clock)

    assert titles(await before.items()) == sorted([*old_titles(before.old_count), "New"])
    assert len(await before.items(status="done")) == 10
    one = await app.workspaces.items.get(before.owner, at, before.id_of(3))
    assert (one.title, one.status, one.version, one.legacy_hash) == ("Old item 3", "done", 1, hash_of_number(3))
    assert one.data == {"price": 0.75, "tags": ["a", "b"]}
    assert one.created_at == "2025-06-01T12:00:00.000Z"
    found, settings = await before.everything()
    assert sorted(found) == sorted([*old_titles(before.old_count), "New"])
    assert settings == {"theme": "light", "limits": {"a": 1, "b": [2.5]}}
    assert (await app.workspaces.settings.get(before.owner, at, SettingName("theme"))).value == "light"
    elsewhere = other.workspace.workspace_id
    assert (await app.workspaces.items.list_items(stranger, elsewhere, limit=50))[0] == []
    assert (await app.workspaces.settings.list_settings(stranger, elsewhere, limit=50))[0] == []
    with pytest.raises(NotFound):
        await app.workspaces.items.get(stranger, elsewhere, before.id_of(3))
    assert await app.workspaces.items.get(before.owner, at, native.item_id) == native


async def test_the_whole_way_and_back(before: Before, clock: Ahead) -> None:
    migrations = await before.plan()
    filled = await migrations.backfill()
    assert (filled.migration.phase, filled.outcomes["created"]) == ("copied", before.old_count + 2)
    proof = await before.migrations().verify()
    assert (proof.is_clean, proof.old_rows) == (True, before.old_count + 2)
    await look_again(clock)
    assert titles(await before.items()) == old_titles(before.old_count)

    cut = await before.migrations().cut_over()
    await look_again(clock)

    assert (cut.migration.phase, cut.is_clean) == ("cut_over", True)
    assert titles(await before.items()) == old_titles(before.old_count)
    found, settings = await before.everything()
    assert sorted(found) == old_titles(before.old_count)
    assert settings == {"theme": "light", "limits": {"a": 1, "b": [2.5]}}
    new = await before.app.workspaces.items.create(before.owner, before.workspace_id, title="After")
    changed = await before.app.workspaces.items.change(
        before.owner, before.workspace_id, before.id_of(5), version=1, changes={"title": "Changed here"}
    )

    assert (await before.migrations().roll_back()).migration.phase == "copied"
    await look_again(clock)
    both = await before.items()
    assert len(both) == before.old_count + 1
    assert {new.title, changed.title} <= {item.title for item in both}
    back = await before.migrations().roll_back()
    await look_again(clock)

    assert (back.migration.phase, back.outcomes) == ("rolled_back", {"removed": before.old_count + 1})
    assert titles(await before.items()) == ["After", "Changed here"], "what was written here stays"
    again = await before.plan()
    await again.backfill()
    assert (await again.verify()).is_clean
    await again.cut_over()
    await look_again(clock)
    assert titles(await before.items()) == sorted(
        [*(title for title in old_titles(before.old_count) if title != "Old item 5"), "After", "Changed here"]
    )


async def test_change_of_an_old_item_creates_the_new_row_and_stays(before: Before, clock: Ahead) -> None:
    app, at, item_id = before.app, before.workspace_id, before.id_of(4)
    migrations = await before.plan()
    await look_again(clock)

    changed = await app.workspaces.items.change(before.owner, at, item_id, version=1, changes={"status": "ours"})

    assert (changed.version, changed.title, changed.legacy_hash) == (2, "Old item 4", hash_of_number(4))
    with pytest.raises(StaleVersion):
        await app.workspaces.items.change(before.owner, at, item_id, version=1, changes={"status": "late"})
    await before.write_old(old_item(4, title="Changed over there, too late"))
    await migrations.backfill()
    assert await app.workspaces.items.get(before.owner, at, item_id) == changed
    assert (await migrations.verify()).is_clean
    assert len(await before.items()) == before.old_count


async def test_of_many_first_changes_of_an_old_item_one_wins(before: Before, clock: Ahead) -> None:
    migrations = await before.plan()
    await look_again(clock)

    def change(number: int) -> asyncio.Future[Item]:
        return asyncio.ensure_future(
            before.app.workspaces.items.change(
                before.owner, before.workspace_id, before.id_of(1), version=1, changes={"title": str(number)}
            )
        )

    outcomes = await asyncio.gather(*map(change, range(8)), migrations.backfill(), return_exceptions=True)

    winners = [outcome for outcome in outcomes if isinstance(outcome, Item)]
    assert len(winners) == 1
    assert {type(each) for each in outcomes if isinstance(each, BaseException)} == {StaleVersion}
    assert await before.app.workspaces.items.get(before.owner, before.workspace_id, before.id_of(1)) == winners[0]


@pytest.mark.parametrize("when", ["before it is copied", "after it is copied", "after the cut-over"])
async def test_a_deleted_item_does_not_come_back(when: str, before: Before, clock: Ahead) -> None:
    app, at, item_id = before.app, before.workspace_id, before.id_of(9)
    migrations = await before.plan()
    if when != "before it is copied":
        await migrations.backfill()
    if when == "after the cut-over":
        await migrations.cut_over()
    await look_again(clock)

    await app.workspaces.items.delete(before.owner, at, item_id)
    if when == "after the cut-over":
        await migrations.roll_back()
    await before.write_old(old_item(9, title="Written again"))
    await before.migrations().backfill()
    await look_again(clock)

    for _ in range(2):
        with pytest.raises(NotFound):
            await app.workspaces.items.get(before.owner, at, item_id)
        assert len(await before.items()) == before.old_count - 1
        assert len((await before.everything())[0]) == before.old_count - 1
        if await before.phase() != "cut_over":
            assert (await before.migrations().cut_over()).is_clean
        await look_again(clock)
    with pytest.raises(NotFound):
        await app.workspaces.items.delete(before.owner, at, item_id)


async def test_what_the_old_program_writes_meanwhile_is_not_lost(before: Before, clock: Ahead) -> None:
    app, at = before.app, before.workspace_id
    migrations = await before.plan()
    await before.write_old(old_item(0, title="Changed before the copy"), old_item(100))
    await migrations.backfill()
    await before.write_old(old_item(1, title="Changed after the copy"), old_item(101), old_setting("theme", "dark"))
    await before.delete_old(2)
    report = " ".join((await migrations.verify()).mismatches)
    for mismatch, times in (
        ("has changed since it was copied", 2),
        ("has no new row", 1),
        ("was deleted, but its copy was not", 1),
    ):
        assert report.count(mismatch) == times

    await before.migrations().backfill()
    assert (await migrations.verify()).is_clean
    await before.write_old(old_item(3, title="Changed before the cut-over"))
    await before.migrations().cut_over()
    await look_again(clock)

    expected = {f"Old item {number}" for number in range(before.old_count)} - {f"Old item {n}" for n in (0, 1, 2, 3)}
    expected |= {"Changed before the copy", "Changed after the copy", "Changed before the cut-over"}
    expected |= {"Old item 100", "Old item 101"}
    assert {item.title for item in await before.items()} == expected
    assert (await app.workspaces.settings.get(before.owner, at, SettingName("theme"))).value == "dark"
    renewed = await app.workspaces.items.get(before.owner, at, before.id_of(1))
    assert renewed.version == 2, "who saw it before must look again"


async def test_lists_are_whole_while_rows_are_moved_between_their_pages(before: Before, clock: Ahead) -> None:
    migrations = await before.plan()
    await look_again(clock)
    first, cursor = await before.app.workspaces.items.list_items(before.owner, before.workspace_id, limit=8)
    await migrations.backfill()

    found = list(first)
    cut = False
    while cursor is not None:
        page, cursor = await before.app.workspaces.items.list_items(
            before.owner, before.workspace_id, limit=8, cursor=cursor
        )
        found += page
        if not cut:
            await before.migrations().cut_over()
            await look_again(clock)
            cut = True

    assert titles(found) == old_titles(before.old_count)


async def test_cursors_of_lists_with_old_rows_belong_to_one_workspace(before: Before, clock: Ahead) -> None:
    app, at = before.app, before.workspace_id
    other = await app.workspaces.create(before.owner, name="Other")
    await before.plan()
    await look_again(clock)
    _, items = await app.workspaces.items.list_items(before.owner, at, limit=2)
    everything = (await app.workspaces.get_everything(before.owner, at, limit=2)).cursor
    names: list[str] = []
    following = settings = None
    while following is not None or not names:
        page, following = await app.workspaces.settings.list_settings(before.owner, at, limit=1, cursor=following)
        names += [setting.name for setting in page]
        settings = following or settings
    assert len(names) == len(set(names)) > 1

    for workspace_id, cursor in ((other.workspace.workspace_id, items), (at, "both."), (at, "old:"), (at, "both.b2xk")):
        with pytest.raises(BadCursor):
            await app.workspaces.items.list_items(before.owner, workspace_id, limit=2, cursor=cursor)
    for workspace_id, cursor in ((other.workspace.workspace_id, everything), (at, "both.AAAA")):
        with pytest.raises(BadCursor):
            await app.workspaces.get_everything(before.owner, workspace_id, limit=2, cursor=cursor)
    for workspace_id, cursor in ((other.workspace.workspace_id, settings), (at, "after:YQ=="), (at, "after.YQ")):
        with pytest.raises(BadCursor):
            await app.workspaces.settings.list_settings(before.owner, workspace_id, limit=1, cursor=cursor)


async def test_verify_looks_at_content(before: Before) -> None:
    migrations = await before.plan()
    await migrations.backfill()
    key = item_by_id(workspace_id=before.workspace_id, item_id=before.id_of(7))
    await before.app.table.write(Update(key, set_to(title="Tampered with")))
    twin = await before.app.table.get(item_by_id(workspace_id=before.workspace_id, item_id=before.id_of(8)))
    assert twin is not None
    await before.app.table.write(
        Put(Item(workspace_id=before.workspace_id, item_id="twin", legacy_hash=twin.legacy_hash, legacy_print="x"))  # type: ignore[arg-type]
    )

    proof = await migrations.verify()

    assert len(proof.mismatches) == 2
    assert "differs from its copy in title" in proof.mismatches[0]
    assert "has two copies" in proof.mismatches[1]
    with pytest.raises(NotProven):
        await migrations.cut_over()
    assert await before.phase() == "copied"


async def test_phases_come_one_after_the_other_and_one_process_at_a_time_has_the_work(before: Before) -> None:
    migrations = await before.plan()
    with pytest.raises(WrongPhase):
        await migrations.cut_over()
    with pytest.raises(WrongPhase):
        await migrations.plan({"workspace": "another", "allItems": "ITEMS"})
    assert (
        await migrations.plan({"workspace": before.workspace_id, "allItems": "ITEMS"})
    ).old_rows == before.old_count + 2

    slow = before.migrations(units=15)
    running = asyncio.create_task(slow.backfill())
    await phase_is(migrations, "copying")
    for attempt in (before.migrations().backfill(), before.migrations().roll_back()):
        with pytest.raises(MigrationRunning):
            await attempt
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running

    assert (await before.migrations().backfill()).migration.phase == "copied"
    assert (await migrations.verify()).is_clean


async def phase_is(migrations: Migrations, phase: str) -> None:
    while True:
        found = await migrations.status()
        if found is not None and found.phase == phase and found.looked_at:
            return
        await asyncio.sleep(0.01)


async def test_the_pace_is_kept(before: Before) -> None:
    await before.plan()
    loop = asyncio.get_running_loop()
    began = loop.time()

    report = await before.migrations(units=100).backfill()

    # What is used in the last portion need not be waited for.
    assert report.units / (loop.time() - began) < 150
    assert report.outcomes["created"] == before.old_count + 2
