"""Settings come from the environment, and say which of them is wrong."""

from __future__ import annotations

import pytest

from sobremesa.settings import BadSetting, IndexNames, Names, Settings


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


def test_what_is_given_goes_before_the_environment() -> None:
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
def test_a_setting_that_cannot_be_used_is_named(name: str, text: str) -> None:
    with pytest.raises(BadSetting, match=name.removeprefix("SOBREMESA_").lower() + "|" + name):
        Settings.from_environment({name: text})
