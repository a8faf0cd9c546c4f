"""The command line, as a person runs it."""

import os
import subprocess
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

import commands
from commands import SOBREMESA
from servers import Endpoint
from sobremesa import __version__
from sobremesa.cli import keys, migrate, records
from sobremesa.cli.adopt import adopt
from sobremesa.cli.reconcile import reconcile
from sobremesa.cli.store import backup
from sobremesa.table.errors import TableMissing


def run(*arguments: str, folder: Path, names: str | None = None, **settings: str) -> subprocess.CompletedProcess[str]:
    """Run a command and return its output; settings are variables."""
    given = settings | ({} if names is None else {"names": names})
    environment = os.environ | {f"SOBREMESA_{name.upper()}": value for name, value in given.items()}
    return commands.run(SOBREMESA, *arguments, folder=folder, environment=environment)


def store_of(kind: str, dynoxide: Endpoint, folder: Path) -> str:
    if kind == "embedded":
        return "sqlite:///chat.db"
    return f"dynamodb://{folder.name}?region=eu-west-1&endpoint={dynoxide.url}"


def test_the_installed_program_runs_its_commands_and_serves_until_it_is_stopped(tmp_path: Path) -> None:
    for arguments, wanted in (
        (["--version"], __version__),
        (["--help"], "Serve the API until stopped."),
        (["table", "create"], "Created the table"),
    ):
        done = subprocess.run(
            [SOBREMESA, *arguments], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=True
        )
        assert wanted in done.stdout

    serve = [str(SOBREMESA), "serve", "--port", "0"]
    with subprocess.Popen(serve, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stderr is not None
            assert "Serving sqlite:///sobremesa.db at http://127.0.0.1:" in server.stderr.readline()
            server.terminate()
            assert server.wait(20) == 0
        finally:
            server.kill()


def test_the_tour_prints_its_steps_and_leaves_nothing_behind(tmp_path: Path) -> None:
    done = run("tour", folder=tmp_path)

    assert done.returncode == 0, done.stderr
    for text in ("ana: Coffee, then.", "refused: sender on", "durable sends per second", "AP7"):
        assert text in done.stdout
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", ["embedded", "dynamodb"])
def test_table_is_created_described_and_dropped(kind: str, tmp_path: Path, dynamodb_endpoint: Endpoint) -> None:
    store = store_of(kind, dynamodb_endpoint, tmp_path)

    assert "Created the table" in run("table", "create", "--store", store, folder=tmp_path).stdout
    assert "ACTIVE" in run("table", "describe", "--store", store, folder=tmp_path).stdout
    assert "Dropped" in run("table", "drop", "--yes", "--store", store, folder=tmp_path).stdout
    gone = run("table", "describe", "--store", store, folder=tmp_path)

    assert gone.returncode == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", ["embedded", "dynamodb"])
def test_table_with_other_names_is_created_described_used_and_dropped(
    kind: str, tmp_path: Path, dynamodb_endpoint: Endpoint
) -> None:
    store = store_of(kind, dynamodb_endpoint, tmp_path)
    names = '{"style": "electrodb", "pk": "PK", "indexes": {"gsi1": {"name": "GSI1"}}, "types": {"Message": "msg"}}'

    created = run("table", "create", "--store", store, folder=tmp_path, names=names)
    assert "Created the table" in created.stdout, created.stderr
    output = " ".join(run("table", "describe", "--store", store, folder=tmp_path, names=names).stdout.split())
    for text in ("names electrodb", "keys PK, sk", "gsi1 GSI1: gsi1pk, gsi1sk", "__edb_e__, __edb_v__", "Message msg"):
        assert text in output
    key = run(
        "keys", "create", "--tenant", "shop", "--scope", "inbox:publish", "--store", store,
        folder=tmp_path, names=names,
    )  # fmt: skip
    key_id = key.stdout.splitlines()[-1].split("_")[1]
    listed = run("keys", "list", "--tenant", "shop", "--store", store, folder=tmp_path, names=names).stdout
    assert key_id in listed
    if kind == "embedded":
        assert run("backup", "copy.db", "--store", store, folder=tmp_path).returncode == 0
        assert "keys PK, sk" in " ".join(run("table", "describe", "--store", store, folder=tmp_path).stdout.split())
    dropped = run("table", "drop", "--yes", "--store", store, folder=tmp_path, names=names)
    assert "Dropped" in dropped.stdout


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ('{"pk": "key", "sk": "key"}', "pk and sk are both called 'key'"),
        ('{"sk": "userId"}', "already has an attribute 'userId'"),
        ('{"hash": "PK"}', "unknown field `hash`"),
    ],
)
def test_invalid_name_map_is_reported_in_one_line_and_nothing_is_created(names: str, text: str, tmp_path: Path) -> None:
    for command in (("table", "create"), ("keys", "list"), ("serve", "--port", "0")):
        done = run(*command, "--store", "sqlite:///chat.db", folder=tmp_path, names=names)

        assert done.returncode == 1
        assert text in " ".join(done.stderr.split())
        assert "Traceback" not in done.stderr
        assert list(tmp_path.iterdir()) == []


def test_backup_can_be_restored_but_overwrites_nothing(tmp_path: Path) -> None:
    run("table", "create", "--store", "sqlite:///chat.db", folder=tmp_path)

    assert run("backup", "copy.db", "--store", "sqlite:///chat.db", folder=tmp_path).returncode == 0
    again = run("backup", "copy.db", "--store", "sqlite:///chat.db", folder=tmp_path)
    assert (again.returncode, "--force" in again.stderr) == (1, True)
    assert run("backup", "copy.db", "--force", "--store", "sqlite:///chat.db", folder=tmp_path).returncode == 0
    refused = run("restore", "copy.db", "--store", "sqlite:///chat.db", folder=tmp_path)
    restored = run("restore", "copy.db", "--store", "sqlite:///new.db", folder=tmp_path)

    assert refused.returncode == 1
    assert "already exists" in refused.stderr
    assert "Restored 0 items" in restored.stdout
    assert sorted(file.name for file in tmp_path.glob("*.db")) == ["chat.db", "copy.db", "new.db"]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("table", "describe", "--store", "postgres://x"), "is not a store"),
        (("table", "describe", "--store", "sqlite:///nowhere.db"), "there is no file nowhere.db"),
        (("table", "describe", "--store", "dynamodb://"), "has no table"),
        (("table", "create", "--store", "sqlite:/x.db"), "the path follows three slashes, sqlite:///folder/file.db"),
        (("table", "create", "--store", "sqlite:///no/such/folder/x.db"), "does its folder exist"),
        (("backup", "copy.db", "--store", "dynamodb://some-table?region=eu-west-1"), "is not a file"),
        (("restore", "nothing.db", "--store", "sqlite:///x.db"), "there is no file nothing.db"),
    ],
)
def test_mistake_is_reported_in_one_line(arguments: tuple[str, ...], text: str, tmp_path: Path) -> None:
    done = run(*arguments, folder=tmp_path)

    assert done.returncode == 1
    assert text in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


COMMANDS: dict[str, Callable[[str], Awaitable[None]]] = {
    "keys list": lambda store: keys.list_keys(store=store),
    "keys revoke": lambda store: keys.revoke("k", store=store),
    "keys rotate": lambda store: keys.rotate(store=store),
    "admin grant": lambda store: keys.grant("ana", store=store),
    "reconcile": lambda store: reconcile(store=store),
    "records rebuild": lambda store: records.rebuild(store=store),
    "migrate status": lambda store: migrate.status(store=store),
    "table adopt": lambda store: adopt(store=store),
    "backup": lambda store: backup(Path("copy.db"), store=store),
}


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
async def test_command_does_not_create_the_store_that_it_reads(
    command: Callable[[str], Awaitable[None]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(TableMissing, match=r"there is no file typo\.db"):
        await command("sqlite:///typo.db")
    assert os.listdir(tmp_path) == []


async def test_command_does_not_create_the_table_that_it_reads(dynamodb_endpoint: Endpoint) -> None:
    store = f"dynamodb://typo?region=eu-west-1&endpoint={dynamodb_endpoint.url}"
    for _ in range(2):
        with pytest.raises(TableMissing):
            await keys.list_keys(store=store)


@pytest.mark.parametrize("kind", ["embedded", "dynamodb"])
def test_server_keys_are_created_listed_and_revoked(kind: str, tmp_path: Path, dynamodb_endpoint: Endpoint) -> None:
    store = store_of(kind, dynamodb_endpoint, tmp_path)
    tenant = f"shop-{kind}"

    created = run(
        "keys", "create", "--tenant", tenant, "--scope", "inbox:publish", "--label", "orders", "--store", store,
        folder=tmp_path,
    )  # fmt: skip
    assert created.returncode == 0, created.stderr
    key = created.stdout.splitlines()[-1]
    assert key.startswith("sbk_")
    key_id = key.split("_")[1]

    listed = run("keys", "list", "--tenant", tenant, "--store", store, folder=tmp_path).stdout
    assert key_id in listed
    assert key not in listed
    assert run("keys", "revoke", key_id, "--store", store, folder=tmp_path).returncode == 0
    assert key_id not in run("keys", "list", "--tenant", tenant, "--store", store, folder=tmp_path).stdout
    assert run("keys", "revoke", key_id, "--store", store, folder=tmp_path).returncode == 1
    assert run("keys", "create", "--tenant", tenant, "--scope", "everything", folder=tmp_path).returncode == 1


def test_signing_keys_rotate_and_admins_are_granted(tmp_path: Path) -> None:
    run("table", "create", folder=tmp_path)
    assert "Created signing key" in run("keys", "rotate", folder=tmp_path).stdout
    missing = run("admin", "grant", "ana", folder=tmp_path)

    assert missing.returncode == 1
    assert "Traceback" not in missing.stderr


def test_server_reports_in_one_line_why_it_cannot_start(tmp_path: Path) -> None:
    refused = run("serve", "--store", "postgres://elsewhere", folder=tmp_path)
    misspelled = run("serve", folder=tmp_path, potr="9000")
    (tmp_path / "node.toml").write_text('redis = "redis://127.0.0.1:1"\n')
    impossible = run("serve", "--config", "node.toml", folder=tmp_path)

    for ended, reason in [
        (refused, "is not a store"),
        (misspelled, "SOBREMESA_POTR is not a setting: did you mean SOBREMESA_PORT?"),
        (impossible, "redis is for several nodes"),
    ]:
        assert ended.returncode == 1
        [error] = ended.stderr.strip().splitlines()
        assert reason in error
