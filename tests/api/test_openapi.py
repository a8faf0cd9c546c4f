"""The OpenAPI document of the whole API: the fast part of what `make openapi` checks with spectral and redocly."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import pytest

from cheap import CHEAP
from sobremesa.app import Sobremesa
from sobremesa.core.settings import Settings

ULID = re.compile("[0-9A-HJKMNP-TV-Z]{26}")


@pytest.fixture(scope="module")
def api() -> dict[str, Any]:
    async def document() -> dict[str, Any]:
        async with Sobremesa.open("sqlite://", settings=Settings(**CHEAP), background=False) as app:
            return app.site().document()

    return asyncio.run(document())


def nodes(value: Any, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every object in the document, and where it is."""
    if isinstance(value, dict):
        yield path, value
        for key, part in value.items():
            yield from nodes(part, f"{path}/{key}")
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from nodes(part, f"{path}/{index}")


def operations(api: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, item in api["paths"].items():
        yield from ((f"{method} {path}", operation) for method, operation in item.items())


def test_every_example_matches_its_schema_and_format(api: dict[str, Any]) -> None:
    found = {path: node for path, node in nodes(api) if "schema" in node and "example" in node}
    assert len(found) > 300
    # One schema for all of them, since each would be compiled with all components.
    schema = {
        "properties": {path: node["schema"] for path, node in found.items()},
        "components": api["components"],
    }
    validator = jsonschema_rs.Draft202012Validator(schema, validate_formats=True)
    validator.validate({path: node["example"] for path, node in found.items()})


def test_every_operation_and_tag_has_a_description(api: dict[str, Any]) -> None:
    assert [name for name, operation in operations(api) if not operation["description"]] == []
    assert [tag["name"] for tag in api["tags"] if not tag.get("description")] == []


def test_every_array_declares_its_items(api: dict[str, Any]) -> None:
    arrays = [(path, node) for path, node in nodes(api["components"]["schemas"]) if node.get("type") == "array"]
    assert arrays
    assert [path for path, node in arrays if "items" not in node and "prefixItems" not in node] == []


def test_no_schema_has_the_name_that_generators_give_to_a_field_of_another(api: dict[str, Any]) -> None:
    """They name an inline enum after its schema and field: two types of one name make them drop a route."""
    schemas = api["components"]["schemas"]
    names = {name.lower() for name in schemas}
    fields = [f"{name}{field}" for name, schema in schemas.items() for field in schema.get("properties", ())]
    assert [name for name in fields if name.lower() in names] == []


def test_scopes_are_in_the_description_since_bearer_schemes_declare_none(api: dict[str, Any]) -> None:
    requirements = [each for _, operation in operations(api) for each in operation["security"]]
    assert {scope for each in requirements for scopes in each.values() for scope in scopes} == set()
    publish = api["paths"]["/v1/tenants/{tenant}/inboxes/{inbox}/messages"]["post"]
    assert "Requires a server key with the scope `inbox:publish`" in publish["description"]


def test_no_schema_has_a_default_so_that_generated_types_keep_fields_optional(api: dict[str, Any]) -> None:
    assert [path for path, node in nodes(api["components"]["schemas"]) if "default" in node] == []
    role = api["components"]["schemas"]["NewParticipant"]["properties"]["role"]
    assert role["description"] == "The default is `member`."


def test_examples_of_inbox_messages_have_their_own_kind_of_id(api: dict[str, Any]) -> None:
    ids = [
        parameter["example"]
        for name, operation in operations(api)
        if "/inboxes/" in name
        for parameter in operation.get("parameters", ())
        if parameter["name"] == "messageId"
    ]
    ids += [
        node["messageId"]
        for path, node in nodes(api["paths"])
        if "/inboxes/" in path and "/example" in path and "messageId" in node
    ]
    assert len(ids) > 4
    assert [each for each in ids if ULID.fullmatch(each)] == []


def test_slack_hook_is_described_as_json_and_as_a_form(api: dict[str, Any]) -> None:
    content = api["paths"]["/v1/hooks/{token}/slack"]["post"]["requestBody"]["content"]
    assert set(content) == {"application/json", "application/x-www-form-urlencoded"}
    form = content["application/x-www-form-urlencoded"]
    assert form["schema"]["properties"] == {"payload": content["application/json"]["schema"]}
    assert form["encoding"] == {"payload": {"contentType": "application/json"}}
