"""Settings come from the environment, and errors name the one that is wrong."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, cast

import pytest

from sobremesa.app import Sobremesa
from sobremesa.core.settings import BadSetting, Settings
from sobremesa.table.names import IndexNames, Names


def test_without_variables_everything_has_a_default() -> None:
    assert Settings.from_environment({"PATH": "/bin"}) == Settings()


def test_variables_are_read_by_their_type() -> None:
    settings = Settings.from_environment(
        {
            "SOBREMESA_STORE": "sqlite://",
            "SOBREMESA_PORT": "9000",
            "SOBREMESA_SHOW_UNITS": "true",
            "SOBREMESA_CORS_ORIGINS": "https://one.example, https://two.example",
            "SOBREMESA_ISSUERS": '[{"issuer": "me", "audience": "you", "public_key": "..."}]',
            "SOBREMESA_NAMES": '{"pk": "PK", "entityType": "_type", "indexes": {"gsi1": {"name": "GSI1"}}}',
        }
    )

    assert (settings.store, settings.port, settings.show_units) == ("sqlite://", 9000, True)
    assert settings.cors_origins == ["https://one.example", "https://two.example"]
    assert settings.issuers[0].audience == "you"
    assert settings.names == Names(pk="PK", entity_type="_type", indexes={"gsi1": IndexNames(name="GSI1")})


def test_given_value_overrides_the_environment() -> None:
    settings = Settings.from_environment({"SOBREMESA_PORT": "9000"}, port=1, host=None)

    assert (settings.port, settings.host) == (1, "127.0.0.1")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("SOBREMESA_PORT", "eighty"),
        ("SOBREMESA_PORT", "70000"),
        ("SOBREMESA_RATE_LIMITS", "perhaps"),
        ("SOBREMESA_ISSUERS", '[{"issuer": '),
        ("SOBREMESA_ISSUERS", '[{"issuer": "me", "audience": "you", "jwksurl": "..."}]'),
        ("SOBREMESA_NAMES", "PK"),
        ("SOBREMESA_NAMES", '{"partition": "PK"}'),
        ("SOBREMESA_NAMES", '{"pk": "PK", "sk": "PK"}'),
        ("SOBREMESA_NAMES", '{"indexes": {"gsi3": {"name": "GSI3"}}}'),
        ("SOBREMESA_NAMES", '{"style": "onetable"}'),
    ],
)
def test_error_names_the_invalid_setting(name: str, text: str) -> None:
    with pytest.raises(BadSetting, match=name.removeprefix("SOBREMESA_").lower() + "|" + name) as refused:
        Settings.from_environment({name: text})
    assert "$." not in str(refused.value)


@pytest.mark.parametrize(
    ("name", "detail"),
    [
        ("SOBREMESA_POTR", "SOBREMESA_POTR is not a setting: did you mean SOBREMESA_PORT?"),
        ("SOBREMESA_QWERTYUIOP", "SOBREMESA_QWERTYUIOP is not a setting."),
    ],
)
def test_unknown_variable_is_refused_with_the_nearest_setting(name: str, detail: str) -> None:
    with pytest.raises(BadSetting, match=re.escape(detail)):
        Settings.from_environment({name: "9000", "SOBREMESA_PORT": "9000", "PATH": "/bin"})


def test_file_is_overridden_by_the_environment_and_by_given_values(tmp_path: Path) -> None:
    file = tmp_path / "sobremesa.toml"
    file.write_text(
        'store = "sqlite://"\nport = 9000\nhost = "0.0.0.0"\ncors_origins = ["https://one.example"]\n'
        '[[issuers]]\nissuer = "me"\naudience = "you"\npublic_key = "..."\n'
    )
    variables = {"SOBREMESA_CONFIG": str(file), "SOBREMESA_PORT": "9001", "SOBREMESA_HOST": "127.0.0.2"}
    settings = Settings.from_environment(variables, host="127.0.0.3")
    assert (settings.store, settings.port, settings.host) == ("sqlite://", 9001, "127.0.0.3")
    assert (settings.cors_origins, settings.issuers[0].audience) == (["https://one.example"], "you")


@pytest.mark.parametrize(
    ("content", "detail"),
    [
        ("potr = 1", "potr is not a setting: did you mean port?"),
        ("port = ", "is not valid TOML"),
        ('port = "eighty"', "SOBREMESA_PORT"),
        (None, "cannot be read"),
    ],
)
def test_mistake_in_the_file_is_located(tmp_path: Path, content: str | None, detail: str) -> None:
    file = tmp_path / "sobremesa.toml"
    if content is not None:
        file.write_text(content)
    with pytest.raises(BadSetting, match=re.escape(detail)):
        Settings.from_environment({"SOBREMESA_CONFIG": str(file)})


NODES = {
    "redis": "redis://127.0.0.1:6379",
    "store": "dynamodb://T",
    "files": "s3://bucket",
    "records": "postgresql://db/records",
}


@pytest.mark.parametrize(
    ("wrong", "detail"),
    [
        ({"store": "sqlite:///chat.db"}, "DynamoDB"),
        ({"files": None}, "set SOBREMESA_FILES to"),
        ({"records": None}, "set SOBREMESA_RECORDS to"),
        ({"records": "sqlite:///records.db"}, "set SOBREMESA_RECORDS to"),
        ({"files": None, "records": None}, "set SOBREMESA_FILES to .*, and SOBREMESA_RECORDS to"),
    ],
)
async def test_several_nodes_with_local_data_are_refused(wrong: dict[str, str | None], detail: str) -> None:
    Settings(**NODES).require_workable()  # type: ignore[arg-type]
    Settings().require_workable()
    with pytest.raises(BadSetting, match=detail):
        async with Sobremesa.open(settings=Settings(**(NODES | wrong))):  # type: ignore[arg-type]
            pass


@pytest.mark.parametrize(("memory_kib", "time_cost"), [(8, 1), (17_000, 2), (7_168, 4), (4_096, 100)])
def test_weak_password_hashing_needs_an_explicit_setting(memory_kib: int, time_cost: int) -> None:
    costs = {"SOBREMESA_ARGON2_MEMORY_KIB": str(memory_kib), "SOBREMESA_ARGON2_TIME_COST": str(time_cost)}
    with pytest.raises(BadSetting, match="too weak"):
        Settings(argon2_memory_kib=memory_kib, argon2_time_cost=time_cost)
    with pytest.raises(BadSetting, match="too weak"):
        Settings.from_environment(costs)
    allowed = Settings.from_environment(costs | {"SOBREMESA_INSECURE_PASSWORDS": "true"})
    assert "SOBREMESA_INSECURE_PASSWORDS" in allowed.warnings()[0]


def test_other_safe_costs_are_accepted() -> None:
    assert Settings(argon2_memory_kib=7_168, argon2_time_cost=5).warnings() == []
    assert Settings(argon2_memory_kib=65_536, argon2_time_cost=3).warnings() == []


@pytest.mark.parametrize("name", ["webhook_allow_networks", "import_allow_networks"])
@pytest.mark.parametrize("network", ["", "10.0.0.0/99", "example.com"])
def test_network_that_is_not_one_is_refused(name: str, network: str) -> None:
    with pytest.raises(BadSetting, match=name):
        Settings(**cast("dict[str, Any]", {name: [network]}))


def test_networks_of_imports_and_of_webhooks_are_separate_settings() -> None:
    settings = Settings.from_environment({"SOBREMESA_IMPORT_ALLOW_NETWORKS": "10.20.0.0/16,127.0.0.1/32"})
    assert settings.import_allow_networks == ["10.20.0.0/16", "127.0.0.1/32"]
    assert settings.webhook_allow_networks == []
