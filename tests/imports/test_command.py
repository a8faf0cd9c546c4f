"""`sobremesa import messages`: from a file or the standard input, beside a server, and after a kill."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import commands
from commands import SOBREMESA
from imports.environment import LONG_AGO, Environment, Room, create_environment, everything
from sobremesa.app import Sobremesa
from sobremesa.cli.imports import PROBLEMS_SHOWN
from sobremesa.core.ids import MessageId
from sobremesa.rooms.importing import imported_id

KILLED_LINES = 1500
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360606060000000050001a5f645400000000049454e44ae426082"
)


def write_lines(path: Path, lines: Sequence[Mapping[str, Any] | str]) -> Path:
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("".join(f"{text}\n" for text in texts))
    return path


def settings_of(app: Sobremesa) -> dict[str, str]:
    return os.environ | {"SOBREMESA_FILES": app.settings.files or "", "SOBREMESA_STORE": app.settings.store}


async def import_file(app: Sobremesa, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    done = await commands.run_async(SOBREMESA, "import", "messages", *arguments, environment=settings_of(app))
    return done


async def test_a_file_is_imported_once(env: Environment, tmp_path: Path) -> None:
    room = env.rooms["channel"]
    file = write_lines(tmp_path / "history.jsonl", [room.line(str(each), LONG_AGO + each) for each in range(50)])

    first = await import_file(env.app, file)
    again = await import_file(env.app, file)

    assert (first.returncode, again.returncode) == (0, 0), first.stderr + again.stderr
    assert "Imported 50 messages; 0 were there before, 0 lines failed." in first.stdout
    assert "Imported 0 messages; 50 were there before, 0 lines failed." in again.stdout
    assert await room.contents() == [str(each) for each in range(50)]


async def test_refused_lines_are_printed_up_to_a_limit_and_the_status_is_one(env: Environment, tmp_path: Path) -> None:
    room = env.rooms["conversation"]
    bad = [room.line(str(each), LONG_AGO, author="nobody") for each in range(PROBLEMS_SHOWN + 10)]
    file = write_lines(tmp_path / "history.jsonl", [room.line("good", LONG_AGO), "[markup]", *bad])

    done = await import_file(env.app, file)

    assert done.returncode == 1
    assert f"Imported 1 messages; 0 were there before, {len(bad) + 1} lines failed." in done.stdout
    lines = done.stderr.splitlines()
    assert lines[0].startswith("line 2: invalid:")
    assert lines[1] == "line 3: unknown_user: There is no user nobody in this tenant."
    assert len([line for line in lines if line.startswith("line ")]) == PROBLEMS_SHOWN
    assert lines[-2:] == [
        "More lines failed; they are counted, but not shown.",
        f"sobremesa: {len(bad) + 1} of {len(bad) + 2} lines were not imported.",
    ]


async def test_a_missing_file_and_a_missing_store_are_one_line(tmp_path: Path) -> None:
    file = write_lines(tmp_path / "history.jsonl", [])
    for arguments in ([tmp_path / "nothing.jsonl"], [file, "--store", f"sqlite:///{tmp_path}/nothing.db"]):
        done = await commands.run_async(SOBREMESA, "import", "messages", *arguments, environment=os.environ)
        assert done.returncode == 1
        assert len(done.stderr.splitlines()) == 1, done.stderr


async def test_files_are_attached_once(env: Environment, tmp_path: Path) -> None:
    room = env.rooms["conversation"]
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "dot.png").write_bytes(PNG)
    (tmp_path.parent / "secret.txt").write_text("secret")
    (tmp_path / "link.txt").symlink_to(tmp_path.parent / "secret.txt")
    (tmp_path / "outside").symlink_to(tmp_path.parent)
    lines = [
        room.line("with a file", LONG_AGO, attachments=[{"path": "pictures/dot.png", "name": "Dot.png"}]),
        room.line("outside", LONG_AGO, attachments=[{"path": "../secret.txt"}]),
        room.line("absolute", LONG_AGO, attachments=[{"path": "/etc/hostname"}]),
        room.line("a link", LONG_AGO, attachments=[{"path": "link.txt"}]),
        room.line("through a link", LONG_AGO, attachments=[{"path": "outside/secret.txt"}]),
        room.line("missing", LONG_AGO, attachments=[{"path": "pictures/none.png"}]),
        room.line("a folder", LONG_AGO, attachments=[{"path": "pictures"}]),
        room.line("by url", LONG_AGO, attachments=[{"url": "http://127.0.0.1/x.png"}]),
        room.line("neither", LONG_AGO, attachments=[{"name": "x.png"}]),
    ]
    file = write_lines(tmp_path / "history.jsonl", lines)

    for _ in range(2):
        done = await import_file(env.app, file)
        refused = [line.split(": ")[1] for line in done.stderr.splitlines() if line.startswith("line ")]
        assert refused == ["attachment_refused"] * 8

    [message, *_] = reversed((await room.service.page(room.ben, room.room_id, limit=10)).messages)
    [attached] = message.attachments
    seen = (message.content, message.type, attached["name"], attached["mime"])
    assert seen == ("with a file", "asset", "Dot.png", "image/png")
    names = [row["name"] for row in await everything(env.app) if str(row["pk"]).startswith("FILE#")]
    assert names.count("Dot.png") == 1


async def stored(env: Environment) -> int:
    """Return the number of imported messages in all rooms."""
    rows = [await room.rows(env.app) for room in env.rooms.values()]
    return sum(row.imported is True for some in rows for row in some)


def history(env: Environment) -> list[dict[str, Any]]:
    """Return the lines of messages in all rooms, also of an author who is in none of them."""
    rooms, authors = list(env.rooms.values()), [env.ana, env.ben, env.cleo]
    return [
        rooms[each % 3].line(str(each), LONG_AGO + each, authors[each % 7 % 3], content=f"@ben {each}")
        for each in range(KILLED_LINES)
    ]


def expected_ids(room: Room, lines: Sequence[Mapping[str, Any]]) -> list[MessageId]:
    numbers = [int(line["nonce"]) for line in lines if line["room"] == room.room_id]
    return [imported_id(room.room_id, str(each), (LONG_AGO + each) * 1000) for each in numbers]


async def test_a_killed_import_is_completed_by_running_it_again(env: Environment, tmp_path: Path) -> None:
    lines = history(env)
    file = write_lines(tmp_path / "history.jsonl", lines)
    for threshold in (1, KILLED_LINES // 3, KILLED_LINES * 2 // 3):
        arguments = (SOBREMESA, "import", "messages", file)
        process = commands.Process(*arguments, environment=settings_of(env.app), stdout=subprocess.DEVNULL)
        while await stored(env) < threshold and process.poll() is None:  # noqa: ASYNC110 - it is another process
            await asyncio.sleep(0.01)
        process.kill()
        await asyncio.to_thread(process.wait)

    done = await import_file(env.app, file)

    assert done.returncode == 0, done.stderr
    for room in env.rooms.values():
        rows = await room.rows(env.app)
        wanted = expected_ids(room, lines)
        assert [row.message_id for row in rows if row.imported] == wanted
        assert (await room.head(env.app)).last_message_id == rows[-1].message_id
        assert await room.unread(room.ben) == (0, False)


async def test_a_killed_import_leaves_the_same_rows_as_one_that_was_not(tmp_path: Path) -> None:
    """Import into two copies of one store, and kill one of the imports."""
    whole, killed = (f"sqlite:///{tmp_path}/{name}.db" for name in ("whole", "killed"))
    async with Sobremesa.open(whole, background=False) as app:
        env = await create_environment(app)
        file = write_lines(tmp_path / "history.jsonl", history(env))
        await app.table.engine.backup(tmp_path / "killed.db")  # type: ignore[attr-defined]
    arguments = (SOBREMESA, "import", "messages", file)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SOBREMESA")}
    with commands.Process(*arguments, "--store", killed, environment=environment, stdout=subprocess.DEVNULL) as process:
        async with Sobremesa.open(killed, background=False) as app:
            there = env._replace(app=app)
            while await stored(there) < 200 and process.poll() is None:  # noqa: ASYNC110 - it is another process
                await asyncio.sleep(0.01)
            process.kill()
    for store in (whole, killed):
        done = await commands.run_async(*arguments, "--store", store, environment=environment)
        assert done.returncode == 0, done.stderr

    found = []
    for store in (whole, killed):
        async with Sobremesa.open(store, background=False) as app:
            rows = await everything(app)
            # The time of the import itself, and rows of the processes.
            found.append([{**row, "leftAt": None} for row in rows if str(row["pk"]).startswith(("CH", "CO", "T", "U"))])
    assert found[0] == found[1]
