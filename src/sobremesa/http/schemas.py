"""Schemas: the types of endpoints as JSON schemas, with names that client generators can use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import msgspec

from sobremesa.http.endpoints import Endpoint
from sobremesa.http.examples import Examples

Json: TypeAlias = dict[str, Any]

REF = "#/components/schemas/{name}"


class Schemas:
    """The schemas of the input and output of endpoints."""

    def __init__(self, endpoints: list[Endpoint], sent: Sequence[Any] = ()) -> None:
        """`sent` are the types of what is sent without a request."""
        kinds = [kind for endpoint in endpoints for kind in _kinds(endpoint)] + list(sent)
        found, self.components = described(kinds)
        self._by_kind: dict[int, Json] = {id(kind): schema for kind, schema in zip(kinds, found, strict=True)}
        self._kinds = kinds  # kept alive, since they are known by their identity
        self.queries = {
            endpoint.name: self._resolved(self.of(endpoint.query)) for endpoint in endpoints if endpoint.query
        }
        self._settle(endpoints, sent)
        self.examples = Examples(self.components)

    def of(self, kind: Any) -> Json:
        """Return the schema of a type that an endpoint uses."""
        return self._by_kind[id(kind)]

    def _resolved(self, schema: Json) -> Json:
        return self.components[schema["$ref"].rpartition("/")[2]]

    def _settle(self, endpoints: list[Endpoint], sent: Sequence[Any]) -> None:
        """Leave out queries, which are parameters; require all fields of outputs; describe defaults of inputs."""
        taken = self._reached(self.of(endpoint.body) for endpoint in endpoints if endpoint.body)
        given = self._reached(self.of(endpoint.returns) for endpoint in endpoints if has_body(endpoint))
        given |= self._reached(self.of(kind) for kind in sent)
        in_queries = self._reached(kind for query in self.queries.values() for kind in query["properties"].values())
        self.components = {
            name: schema for name, schema in self.components.items() if name in taken | given | in_queries
        }
        for name in given - taken - in_queries:
            require_all(self.components[name])
        for name in taken:
            _describe_defaults(self.components[name])

    def _reached(self, schemas: Iterable[Json]) -> set[str]:
        reached: set[str] = set()
        waiting = [name for schema in schemas for name in _refs(schema)]
        while waiting:
            name = waiting.pop()
            if name not in reached:
                reached.add(name)
                waiting.extend(_refs(self.components[name]))
        return reached


def described(kinds: Sequence[Any]) -> tuple[list[Json], dict[str, Json]]:
    """Return the schemas of types, and the components that they refer to."""
    found, components = msgspec.json.schema_components(kinds, ref_template=REF)
    names = {name: _clean(schema.get("title", name)) for name, schema in components.items()}
    if len(set(names.values())) < len(names):
        names = {name: name for name in names}
    return [_plain(schema, names) for schema in found], {
        names[name]: {**_plain(schema, names), "title": names[name]} for name, schema in components.items()
    }


def _kinds(endpoint: Endpoint) -> Iterator[Any]:
    yield from endpoint.path_types.values()
    if endpoint.query is not None:
        yield endpoint.query
    if endpoint.body is not None:
        yield endpoint.body
    if has_body(endpoint):
        yield endpoint.returns


def has_body(endpoint: Endpoint) -> bool:
    return endpoint.returns not in (None, type(None)) and endpoint.returns_json


def _clean(title: str) -> str:
    """`Listed[ServerView]` as a name that a client generator can use: `ListedServerView`."""
    return "".join(character for character in title if character.isalnum() or character == "_")


def _plain(schema: Any, names: Mapping[str, str]) -> Any:
    """Return the schema with references to the new names, and with what generators of clients miss if it is implied."""
    if isinstance(schema, list):
        return [_plain(value, names) for value in schema]
    if isinstance(schema, dict):
        plain = {key: _plain(value, names) for key, value in schema.items()}
        if schema.get("type") == "array" and "prefixItems" not in schema:
            plain.setdefault("items", {})
        if schema.get("type") == "object" and "properties" not in schema:
            plain.setdefault("additionalProperties", True)
        return plain
    prefix = REF.format(name="")
    # The mapping of a discriminator refers by plain values, so every string may be a reference.
    if isinstance(schema, str) and schema.startswith(prefix):
        return prefix + names[schema.removeprefix(prefix)]
    return schema


def _refs(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        for key, value in schema.items():
            if key == "$ref":
                yield value.rpartition("/")[2]
            else:
                yield from _refs(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from _refs(value)


def _describe_defaults(schema: Json) -> None:
    """Replace the defaults of an input by text: generators of clients take a field with a default for required."""
    for kind in schema.get("properties", {}).values():
        default = kind.pop("default", None)
        if default not in (None, "", [], {}):
            shown = default if isinstance(default, str) else msgspec.json.encode(default).decode()
            kind["description"] = f"{kind.get('description', '')} The default is `{shown}`.".strip()


def require_all(schema: Json) -> None:
    """Mark all fields of an output as required, also those with a default. (Optional ones are UNSET instead.)"""
    properties = schema.get("properties", {})
    required = set(schema.get("required", ()))
    schema["required"] = [name for name, kind in properties.items() if name in required or "default" in kind]
    for kind in properties.values():
        kind.pop("default", None)
