"""The document and the page: complete, valid, with examples that are what they show."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Annotated, Any

import msgspec
import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from openapi_spec_validator import validate

from edge.api import endpoints
from sobremesa.http import docs_page
from sobremesa.http.endpoints import Input, Output, Routes
from sobremesa.http.examples import Examples
from sobremesa.http.openapi import document

SCHEMA_KEYS = ("schema", "example")


class Harmless(Input):
    """A <script>alert(1)</script> in the words."""

    name: Annotated[str, msgspec.Meta(description="<b onclick='x'>", examples=["'; rm -rf / <i>&amp;"])]


class Gift(Output):
    """A field that may be missing."""

    name: str
    ribbon: str | msgspec.UnsetType = msgspec.UNSET
    colours: list[str] = []


def of(*routes: Routes) -> dict[str, Any]:
    found = [endpoint for part in routes for endpoint in part.endpoints]
    return document(found, title="Tests", version="1.0.0", server_url="http://127.0.0.1:8080")


@pytest.fixture(scope="module")
def api() -> dict[str, Any]:
    return document(endpoints(), title="Tests", version="1.0.0", server_url="http://127.0.0.1:8080")


def operations(api: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for item in api["paths"].values():
        yield from item.values()


def with_examples(value: Any) -> Iterator[tuple[dict[str, Any], Any]]:
    """Every schema in the document that has an example beside it."""
    if isinstance(value, dict):
        if all(key in value for key in SCHEMA_KEYS):
            yield value["schema"], value["example"]
        for part in value.values():
            yield from with_examples(part)
    elif isinstance(value, list):
        for part in value:
            yield from with_examples(part)


def check_examples(api: dict[str, Any]) -> int:
    count = 0
    for schema, example in with_examples({"paths": api["paths"], "components": api["components"]}):
        Draft202012Validator({**schema, "components": api["components"]}).validate(example)
        count += 1
    return count


def test_it_is_valid(api: dict[str, Any]) -> None:
    validate(api)


def test_every_endpoint_is_in_it(api: dict[str, Any]) -> None:
    documented = {(method.upper(), path) for path, item in api["paths"].items() for method in item}
    assert documented == {(endpoint.method, endpoint.route) for endpoint in endpoints()}
    names = [operation["operationId"] for operation in operations(api)]
    assert len(set(names)) == len(names)
    assert [tag["name"] for tag in api["tags"]] == ["Tables", "Kitchen"]


def test_every_example_is_of_its_schema(api: dict[str, Any]) -> None:
    assert check_examples(api) > 30


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string", "pattern": "^[0-9]$"},
        {"type": "string", "maxLength": 2},
        {"type": "string", "minLength": 500},
        {"type": "string", "pattern": "^[0-9A-HJKMNP-TV-Z]{26}$"},
        {"type": "integer", "minimum": 100},
        {"type": "integer", "exclusiveMinimum": 100},
        {"type": "number", "maximum": -5},
        {"type": "array", "items": {"type": "string"}, "minItems": 3},
        {"type": "array", "items": {"type": "string"}, "maxItems": 0},
        {"type": "object", "additionalProperties": {"type": "integer"}},
        {"anyOf": [{"type": "null"}, {"type": "boolean"}]},
    ],
)
@pytest.mark.parametrize("name", ["", "name", "userId", "createdAt", "limit"])
def test_an_example_keeps_to_the_bounds(schema: dict[str, Any], name: str) -> None:
    Draft202012Validator(schema).validate(Examples({}).of(schema, name))


def test_every_body_and_every_answer_has_an_example(api: dict[str, Any]) -> None:
    for operation in operations(api):
        for kind, content in operation.get("requestBody", {}).get("content", {}).items():
            assert "example" in content or kind in ("multipart/form-data", "application/octet-stream")
        for status, response in operation["responses"].items():
            if status.startswith("2"):
                for kind, content in response.get("content", {}).items():
                    assert "example" in content or kind in ("application/x-ndjson", "text/html", "*/*")


def test_an_operation_documents_its_input_and_output(api: dict[str, Any]) -> None:
    lay = api["paths"]["/v1/tables"]["post"]
    assert lay["summary"] == "Lay a table."
    assert lay["description"] == (
        "The same key again gives the table that is there. Requires a user's access token, or a server key with the "
        "scope `rooms:write` that acts as a user."
    )
    assert lay["security"] == [{"bearer": []}, {"serverKey": []}]
    assert lay["requestBody"]["required"] is True
    assert [parameter["name"] for parameter in lay["parameters"]] == ["Sobremesa-Act-As", "Idempotency-Key"]
    assert {"200", "201", "400", "401", "403", "409", "413", "415", "422", "429", "503", "504", "default"} == set(
        lay["responses"]
    )
    assert lay["responses"]["409"]["x-codes"] == {"table_occupied": "The table is taken."}
    assert "`table_occupied`: The table is taken." in lay["responses"]["409"]["description"]
    assert api["paths"]["/v1/tables/{tableId}"]["patch"]["requestBody"]["required"] is False


def test_an_open_operation_needs_nothing_and_a_scope_is_named(api: dict[str, Any]) -> None:
    assert api["paths"]["/v1/tables"]["get"]["security"] == []
    assert "401" not in api["paths"]["/v1/tables"]["get"]["responses"]
    orders = api["paths"]["/v1/kitchen/orders"]["get"]
    assert orders["security"] == [{"serverKey": []}, {"bearer": []}]
    assert "`kitchen:read`" in orders["description"]


def test_a_list_has_its_parameters_and_its_tag(api: dict[str, Any]) -> None:
    get = api["paths"]["/v1/tables"]["get"]
    parameters = {parameter["name"]: parameter for parameter in get["parameters"]}
    assert set(parameters) == {"limit", "cursor", "kind", "free", "If-None-Match"}
    assert parameters["limit"]["schema"] == {
        "type": "integer",
        "minimum": 1,
        "maximum": 100,
        "default": 50,
        "description": "Maximum number of items.",
    }
    assert parameters["kind"]["schema"] == {"enum": ["long", "round"]}
    assert "ETag" in get["responses"]["200"]["headers"]
    assert "content" not in get["responses"]["304"]
    assert "bad_cursor" in get["responses"]["422"]["x-codes"]


def test_names_of_schemas_are_clean_and_queries_are_not_among_them(api: dict[str, Any]) -> None:
    names = set(api["components"]["schemas"])
    assert "ListedTableView" in names
    assert "TablesQuery" not in names
    assert all(name.isidentifier() for name in names)


def test_an_answer_has_all_of_its_fields_unless_one_may_be_missing() -> None:
    routes = Routes("Gifts")

    @routes.get("/gift")
    async def get_gift() -> Gift:
        """Show the gift."""
        raise NotImplementedError

    schema = of(routes)["components"]["schemas"]["Gift"]
    assert schema["required"] == ["name", "colours"]


def test_lines_are_documented_as_ndjson(api: dict[str, Any]) -> None:
    answer = api["paths"]["/v1/kitchen/receipts"]["get"]["responses"]["200"]
    assert list(answer["content"]) == ["application/x-ndjson"]


def test_an_upload_is_documented_with_its_json_alternative(api: dict[str, Any]) -> None:
    take = api["paths"]["/v1/kitchen/photos"]["post"]
    assert set(take["requestBody"]["content"]) == {
        "multipart/form-data",
        "application/octet-stream",
        "application/json",
    }
    assert take["requestBody"]["required"] is True
    assert {"400", "413", "415", "422"} <= set(take["responses"])
    film = api["paths"]["/v1/kitchen/films"]["post"]
    assert "application/json" not in film["requestBody"]["content"]
    assert "415" not in film["responses"]


def test_bytes_are_documented_as_bytes(api: dict[str, Any]) -> None:
    show = api["paths"]["/v1/kitchen/photos/{name}"]["get"]
    assert list(show["responses"]["200"]["content"]) == ["*/*"]
    assert {"200", "206", "302"} <= set(show["responses"])
    assert [parameter["name"] for parameter in show["parameters"]] == ["name", "Range"]


class _Tags(HTMLParser):
    """Checks that what is opened is closed, and gathers what links point to."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.anchors: list[str] = []
        self.targets: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        if tag not in ("meta", "link"):
            self.open.append(tag)
        for name, value in attrs:
            if name == "id":
                self.anchors.append(str(value))
            if name == "href" and str(value).startswith("#"):
                self.targets.add(str(value)[1:])
            assert not name.startswith("on")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def parsed(api: dict[str, Any]) -> tuple[_Tags, str]:
    html = docs_page.page(api)
    tags = _Tags()
    tags.feed(html)
    tags.close()
    assert tags.open == []
    return tags, html


def test_the_page_shows_every_operation_and_its_links_lead_somewhere(api: dict[str, Any]) -> None:
    tags, html = parsed(api)
    assert len(set(tags.anchors)) == len(tags.anchors)
    assert tags.targets <= set(tags.anchors)
    for operation in operations(api):
        assert operation["operationId"] in tags.anchors
    assert "table_occupied" in html
    assert "curl -X POST http://127.0.0.1:8080/v1/tables" in html
    assert "-F file=@picture.png" in html


def test_texts_of_the_document_are_escaped_on_the_page() -> None:
    routes = Routes("<img src=x>")

    @routes.post("/harmless/{name}")
    async def send_harmless(name: str, body: Harmless) -> None:
        """Send <script>alert(1)</script> `<b>`."""

    harmless = of(routes)
    validate(harmless)
    check_examples(harmless)
    tags, html = parsed(harmless)
    assert not tags.seen & {"script", "img", "i"}
    assert "<b>" not in html
    assert "&lt;script&gt;" in html
    # What users copy into a shell must not end its quotes.
    assert "rm -rf" in html
    assert "&#x27;&quot;&#x27;&quot;&#x27;; rm -rf" in html
