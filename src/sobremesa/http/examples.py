"""Examples: values that match a JSON schema, chosen by the names of its fields, the same every time.

`msgspec.Meta(examples=[...])` on a field goes before what is made here.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any

from sobremesa.core.ids import encode

MOMENT = "2026-11-16T09:30:00.000Z"
_ULID_TIME = 1_763_285_400_000 << 80
_MAX_DEPTH = 8

_TEXTS = {
    "username": "ana",
    "password": "a long walk by the sea",
    "current": "a long walk by the sea",
    "content": "Coffee after lunch?",
    "emoji": "👍",
    "code": "kX7mPq2wRt",
    "nonce": "b3c1f0",
    "tenant": "default",
    "topic": "What we talk about here",
    "reason": "Spam",
    "detail": "The input is not valid.",
    "pointer": "#/name",
    "currency": "EUR",
    "city": "Málaga",
    "ttl": "30d",
    "action": "member.kick",
    "start": "22:00",
    "end": "07:00",
    "timezone": "Europe/Madrid",
}
_FORMATS = {"date-time": MOMENT, "date": MOMENT[:10]}
_IDS = frozenset({"id", "actor", "target", "replyto", "mention", "before", "after", "around"})
_ENDINGS = {
    "email": "ana@example.com",
    "token": "eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJhbmEifQ.c2lnbmF0dXJl",
    "url": "https://chat.example.com/pictures/ana.png",
    "uri": "https://chat.example.com/orders/7",
    "cursor": "eyJwayI6IlNFUlZFUiJ9",
    "next": "eyJwayI6IlNFUlZFUiJ9",
    "until": MOMENT,
    "since": MOMENT,
    "device": "Firefox on Linux",
    "agent": "Firefox on Linux",
    "address": "203.0.113.7",
    "name": "Sobremesa",
    "title": "Sobremesa",
}
_NUMBERS = {"expiresin": 600, "limit": 50, "status": 422, "uses": 3, "maxuses": 10, "count": 7, "version": 2}
_SPARE_TEXTS = ("example", "a", "A1", "0", "ana-maria", MOMENT, "kX7mPq2wRt", "a" * 64)


class Examples:
    """Creates examples for schemas that refer to these components."""

    def __init__(self, components: Mapping[str, Any]) -> None:
        self._components = components

    def of(self, schema: Mapping[str, Any], name: str = "", depth: int = 0) -> Any:
        """Return a value of the schema, for a field of this name."""
        if "$ref" in schema:
            return self.of(self._components[schema["$ref"].rpartition("/")[2]], name, depth + 1)
        if schema.get("examples"):
            return schema["examples"][0]
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return schema.get("default", schema["enum"][0])
        if "anyOf" in schema:
            return self._of_one(schema["anyOf"], name, depth)
        match schema.get("type"):
            case "object":
                return self._object(schema, name, depth)
            case "array":
                return self._array(schema, name, depth)
            case "string":
                return _text(schema, name)
            case "integer" | "number":
                return _number(schema, name)
            case "boolean":
                return schema.get("default", False)
            case "null":
                return None
            case _:
                return {"any": "JSON"}

    def _of_one(self, choices: list[Mapping[str, Any]], name: str, depth: int) -> Any:
        can_be_null = {"type": "null"} in choices
        if can_be_null and depth > _MAX_DEPTH:
            return None
        return self.of(next(choice for choice in choices if choice != {"type": "null"}), name, depth)

    def _object(self, schema: Mapping[str, Any], name: str, depth: int) -> dict[str, Any]:
        value = {field: self.of(kind, field, depth) for field, kind in schema.get("properties", {}).items()}
        more = schema.get("additionalProperties")
        if isinstance(more, dict) and not value:
            return {"example": self.of(more, name, depth)}
        return value

    def _array(self, schema: Mapping[str, Any], name: str, depth: int) -> list[Any]:
        if "prefixItems" in schema:
            return [self.of(item, name, depth) for item in schema["prefixItems"]]
        if depth > _MAX_DEPTH or not schema.get("items"):
            return []
        one = self.of(schema["items"], name.removesuffix("s"), depth)
        return [one] * min(max(1, schema.get("minItems", 1)), schema.get("maxItems", 100))


def _text(schema: Mapping[str, Any], name: str) -> str:
    if schema.get("format") in _FORMATS:
        return _FORMATS[schema["format"]]
    plain = name.lower()
    if name.endswith(("Id", "By")) or plain in _IDS:
        likely = _ulid(name)
    elif name.endswith("At") or plain == "at":
        likely = MOMENT
    elif plain in _TEXTS:
        likely = _TEXTS[plain]
    else:
        likely = next((text for ending, text in _ENDINGS.items() if plain.endswith(ending)), "example")
    for text in (likely, _ulid(name), *_SPARE_TEXTS):
        if _fits(schema, text):
            return text
    shortest: int = schema.get("minLength", 0)
    return (likely * (shortest // len(likely) + 1))[: schema.get("maxLength", max(shortest, len(likely)))]


def _fits(schema: Mapping[str, Any], text: str) -> bool:
    return (
        schema.get("minLength", 0) <= len(text) <= schema.get("maxLength", len(text))
        and re.search(schema.get("pattern", ""), text) is not None
    )


def _ulid(name: str) -> str:
    """Return an id that is the same for the same name."""
    return encode(_ULID_TIME | int.from_bytes(hashlib.blake2b(name.encode(), digest_size=10).digest()))


def _number(schema: Mapping[str, Any], name: str) -> float:
    likely = schema.get("default", _NUMBERS.get(name.lower(), 1))
    if not isinstance(likely, (int, float)):
        likely = 1
    lowest = schema.get("minimum", schema["exclusiveMinimum"] + 1 if "exclusiveMinimum" in schema else likely)
    highest = schema.get("maximum", schema["exclusiveMaximum"] - 1 if "exclusiveMaximum" in schema else None)
    value: float = max(likely, lowest)
    return value if highest is None else min(value, highest)
