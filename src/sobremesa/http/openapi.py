"""The OpenAPI document of the endpoints.

It is generated from the types that the server decodes and encodes, from the docstrings, and from the table of problems,
so it always matches the server.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Protocol, TypeAlias

from msgspec import Struct

from sobremesa.core.actor import UserRequired
from sobremesa.core.errors import (
    Busy,
    Forbidden,
    Invalid,
    NotFound,
    Refusal,
    TooBig,
    TooMany,
    Unauthenticated,
    UnknownUsers,
)
from sobremesa.http.decoding import MAX_ID_CHARACTERS, MAX_KEY_CHARACTERS
from sobremesa.http.endpoints import Endpoint
from sobremesa.http.problems import TITLES, TYPE_PREFIX, MalformedRequest, UnsupportedMedia, status_of
from sobremesa.http.schemas import REF, Json, Schemas, has_body

Codes: TypeAlias = dict[str, str]
"""The codes of one status, with their descriptions."""

OPENAPI = "3.1.0"
PROBLEM = "application/problem+json"
CONTACT: Json = {"name": "Sobremesa", "url": "https://github.com/sobremesa/sobremesa"}
ABOUT = (
    "JSON in camelCase; times are RFC 3339 in UTC with milliseconds. Lists are paginated: pass `next` of a page as "
    "`cursor` to get the next one. Errors are problems (RFC 9457) with a stable `code`. The headers `RateLimit` and "
    "`RateLimit-Policy` state how much of a limit is left."
)

_TIMED_OUT = {"timed_out": "The request timed out; it may still have been processed."}
_BAD_CURSOR = {"bad_cursor": "The cursor does not belong to this list."}
_COMMON: dict[int, Codes] = {
    status_of(kind): {kind.code: kind.default_detail}
    for kind in (Unauthenticated, NotFound, MalformedRequest, UnsupportedMedia, TooBig, Invalid, TooMany, Busy)
} | {403: {kind.code: kind.default_detail for kind in (Forbidden, UserRequired)}, 504: _TIMED_OUT}

_PROBLEM_SCHEMA: Json = {
    "title": "Problem",
    "description": "An error (RFC 9457). Some codes add members.",
    "type": "object",
    "required": ["type", "title", "status", "detail", "code"],
    "properties": {
        "type": {"type": "string", "format": "uri"},
        "title": {"type": "string"},
        "status": {"type": "integer", "minimum": 400, "maximum": 599},
        "detail": {"type": "string", "description": "A description for humans."},
        "code": {"type": "string", "description": "A stable, machine-readable code."},
        "errors": {"type": "array", "items": {"$ref": REF.format(name="InputError")}},
        "retryAfter": {"type": "integer", "description": "Seconds to wait."},
    },
}
_INPUT_ERROR_SCHEMA: Json = {
    "title": "InputError",
    "description": "A mistake in the input.",
    "type": "object",
    "required": ["pointer", "detail"],
    "properties": {
        "in": {"enum": ["body", "query", "header", "path"]},
        "pointer": {"type": "string", "description": "A JSON pointer to the mistake."},
        "detail": {"type": "string"},
    },
}
_BYTES: Json = {"type": "string", "format": "binary"}
_UPLOAD: Json = {
    "multipart/form-data": {
        "schema": {"type": "object", "required": ["file"], "properties": {"file": _BYTES}},
    },
    # The bytes themselves have no schema.
    "application/octet-stream": {},
}
_JSON_LINES: Json = {"application/x-ndjson": {"schema": {"type": "string"}}}
_HEADERS: Json = {
    "RateLimit": {
        "description": "What is left of the limit: `r` requests, `t` seconds until it is fully restored.",
        "schema": {"type": "string"},
        "example": '"write";r=199;t=1',
    },
    "RateLimit-Policy": {
        "description": "The limit: `q` requests within `w` seconds.",
        "schema": {"type": "string"},
        "example": '"write";q=200;w=60',
    },
    "Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer"}, "example": 1},
    "X-Request-Id": {
        "description": "The id of the request in the log: the one that was sent, or a new one.",
        "schema": {"type": "string"},
        "example": "5f2c9ab01d3e-2a",
    },
    "ETag": {
        "description": "Send it as `If-None-Match` to receive 304 while nothing has changed.",
        "schema": {"type": "string"},
        "example": 'W/"1e347bee9a9fb810109ad7dd"',
    },
}
_SECURITY_SCHEMES: Json = {
    "bearer": {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "JWT",
        "description": "A user's access token, from login or from your own issuer.",
    },
    "serverKey": {
        "type": "http",
        "scheme": "bearer",
        "description": "A server key (`sobremesa keys create`), sent as a bearer token.",
    },
}


class WebhookEvent(Protocol):
    """An event that is sent to webhooks."""

    name: str
    payload: type[Struct]
    summary: str


def document(
    endpoints: Iterable[Endpoint],
    *,
    title: str,
    version: str,
    server_url: str,
    webhooks: Sequence[WebhookEvent] = (),
) -> Json:
    """Return the OpenAPI document of the endpoints, and of the requests that are sent to webhooks."""
    endpoints = list(endpoints)
    schemas = Schemas(endpoints, [event.payload for event in webhooks])
    paths: dict[str, Json] = {}
    for endpoint in endpoints:
        paths.setdefault(endpoint.route, {})[endpoint.method.lower()] = _operation(endpoint, schemas)
    return {
        "openapi": OPENAPI,
        "info": {
            "title": title,
            "version": version,
            "description": ABOUT,
            "contact": CONTACT,
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": server_url}],
        "tags": _tags(endpoints),
        "paths": paths,
        **({"webhooks": {event.name: _webhook(event, schemas) for event in webhooks}} if webhooks else {}),
        "components": {
            "schemas": {**schemas.components, "Problem": _PROBLEM_SCHEMA, "InputError": _INPUT_ERROR_SCHEMA},
            "responses": {_response_name(status): _problem(status, codes) for status, codes in _COMMON.items()}
            | {"Problem": _problem(500, {"internal": "Internal error."})},
            "headers": _HEADERS,
            "securitySchemes": _SECURITY_SCHEMES,
        },
    }


def _webhook(event: WebhookEvent, schemas: Schemas) -> Json:
    """Return the request that an event causes."""
    data = schemas.of(event.payload)
    schema: Json = {
        "type": "object",
        "required": ["type", "timestamp", "data"],
        "properties": {
            "type": {"const": event.name},
            "timestamp": {"type": "string", "format": "date-time"},
            "data": data,
            "userId": {"type": "string", "description": "The user, if the event is for one user."},
            "truncated": {"type": "boolean", "description": "Whether `data` has only ids, since it was too large."},
        },
    }
    example = {"type": event.name, "timestamp": "2026-11-16T09:30:00.000Z", "data": schemas.examples.of(data)}
    return {
        "post": {
            "operationId": f"webhook.{event.name}",
            "tags": ["Webhooks"],
            "summary": event.summary,
            "description": "Sent to the webhooks that select it, signed by Standard Webhooks.",
            "security": [],
            "parameters": [
                {"name": name, "in": "header", "required": True, "description": text, "schema": {"type": "string"}}
                for name, text in _WEBHOOK_HEADERS.items()
            ],
            "requestBody": {
                "required": True,
                "content": {"application/json": {"schema": schema, "example": example}},
            },
            "responses": {
                "2XX": {"description": "Accepted."},
                "410": {"description": "Disables the webhook."},
                "default": {"description": "Anything else: the event is sent again later, for a day."},
            },
        }
    }


_WEBHOOK_HEADERS = {
    "webhook-id": "The id of the event, the same at each attempt.",
    "webhook-timestamp": "When the attempt was made, in seconds since 1970.",
    "webhook-signature": "Signatures, separated by spaces: `v1,` and base64.",
}


def _tags(endpoints: Iterable[Endpoint]) -> list[Json]:
    described: dict[str, str] = {}
    for endpoint in endpoints:
        described[endpoint.tag] = described.get(endpoint.tag) or endpoint.tag_description
    return [{"name": tag, **({"description": text} if text else {})} for tag, text in described.items()]


def _operation(endpoint: Endpoint, schemas: Schemas) -> Json:
    operation: Json = {
        "operationId": endpoint.name,
        "tags": [endpoint.tag],
        "summary": endpoint.summary,
        "description": f"{endpoint.description} {_access(endpoint)}".strip(),
        "security": _security(endpoint),
        "responses": _responses(endpoint, schemas),
    }
    parameters = list(_parameters(endpoint, schemas))
    if parameters:
        operation["parameters"] = parameters
    if endpoint.body is not None or endpoint.takes_upload:
        operation["requestBody"] = {
            "required": not endpoint.body_is_optional,
            "content": {**_upload_body(endpoint), **_json_body(endpoint, schemas)},
        }
    return operation


def _upload_body(endpoint: Endpoint) -> Json:
    """Return the content of an upload: a file, or lines of JSON if the response has a line for each."""
    if not endpoint.takes_upload:
        return {}
    return _JSON_LINES if endpoint.returns_lines else _UPLOAD


def _json_body(endpoint: Endpoint, schemas: Schemas) -> Json:
    if endpoint.body is None:
        return {}
    schema = schemas.of(endpoint.body)
    content: Json = {"application/json": {"schema": schema, "example": schemas.examples.of(schema)}}
    if endpoint.form_field is not None:
        # In OpenAPI, the value of a field that has a content type is encoded in it: here, the same JSON as above.
        content["application/x-www-form-urlencoded"] = {
            "schema": {
                "type": "object",
                "required": [endpoint.form_field],
                "properties": {endpoint.form_field: schema},
            },
            "encoding": {endpoint.form_field: {"contentType": "application/json"}},
        }
    return content


def _security(endpoint: Endpoint) -> list[Json]:
    match endpoint.who:
        case "anyone":
            return []
        case "person":
            return [{"bearer": []}, {"serverKey": []}]
        case "key":
            return [{"serverKey": []}, {"bearer": []}]


def _access(endpoint: Endpoint) -> str:
    """Return who may call the endpoint. Scopes are text, since schemes of the type `http` cannot declare them."""
    match endpoint.who:
        case "anyone":
            return "Requires no token."
        case "person":
            return f"Requires a user's access token, or a server key {_acting(endpoint)}."
        case "key":
            scopes = " or ".join(f"`{scope}`" for scope in (endpoint.scope, *endpoint.also_scopes))
            return f"Requires a server key with the scope {scopes}, or the access token of an administrator."


def _acting(endpoint: Endpoint) -> str:
    """Return what a server key needs to call an endpoint of users."""
    scopes = " and ".join(f"`{scope}`" for scope in endpoint.acting_scopes)
    as_user = f"with the scope{'s' if len(endpoint.acting_scopes) > 1 else ''} {scopes} that acts as a user"
    return as_user if endpoint.key_scope is None else f"{as_user} or has the scope `{endpoint.key_scope}`"


def _parameters(endpoint: Endpoint, schemas: Schemas) -> Iterator[Json]:
    places = [segment[1:-1] for segment in endpoint.route.split("/") if segment.startswith("{")]
    for place, field in zip(places, endpoint.path_fields, strict=True):
        schema = schemas.of(endpoint.path_types[field])
        example = schemas.examples.of(schema, place)
        yield _described({"name": place, "in": "path", "required": True, "schema": schema, "example": example})
    if endpoint.query is not None:
        query = schemas.queries[endpoint.name]
        for name, schema in query["properties"].items():
            plain = _without_null(schema)
            yield _described({"name": name, "in": "query", "required": name in query["required"], "schema": plain})
    if endpoint.who == "person":
        yield {
            "name": "Sobremesa-Act-As",
            "in": "header",
            "required": False,
            "description": "For server keys: the user to act as, by id or by `ext:` and the external id.",
            "schema": {"type": "string", "minLength": 1, "maxLength": MAX_ID_CHARACTERS},
            "example": "ext:customer-17",
        }
    if endpoint.takes_idempotency_key:
        yield {
            "name": "Idempotency-Key",
            "in": "header",
            "required": False,
            "description": "Repeated requests with the same key have the effect of one.",
            "schema": {"type": "string", "minLength": 1, "maxLength": MAX_KEY_CHARACTERS},
            "example": "0b9f3d7e",
        }
    if endpoint.takes_range:
        yield {
            "name": "Range",
            "in": "header",
            "required": False,
            "description": "The range of bytes; an invalid range is ignored.",
            "schema": {"type": "string"},
            "example": "bytes=0-1023",
        }
    if endpoint.cacheable:
        yield {
            "name": "If-None-Match",
            "in": "header",
            "required": False,
            "description": "The `ETag` of a previous response.",
            "schema": {"type": "string"},
        }


def _described(parameter: Json) -> Json:
    """Return the parameter with the description of its schema."""
    schema = parameter["schema"]
    return {**parameter, "description": schema["description"]} if "description" in schema else parameter


def _responses(endpoint: Endpoint, schemas: Schemas) -> Json:
    headers = _header_refs("RateLimit", "RateLimit-Policy", "X-Request-Id", *(["ETag"] if endpoint.cacheable else []))
    responses: dict[int, Json] = {}
    for status in filter(None, (endpoint.status, endpoint.also_status)):
        responses[status] = {"description": _DONE.get(status, "OK."), "headers": headers}
        if endpoint.returns_lines:
            responses[status]["description"] = "One JSON value on each line."
            responses[status]["content"] = _JSON_LINES
        elif endpoint.returns_page:
            responses[status]["description"] = "A page."
            responses[status]["content"] = {"text/html": {"schema": {"type": "string"}}}
        elif endpoint.returns_content:
            responses[status]["description"] = "The bytes."
            responses[status]["content"] = {"*/*": {"schema": _BYTES}}
        elif has_body(endpoint):
            schema = schemas.of(endpoint.returns)
            content = {"schema": schema, "example": schemas.examples.of(schema)}
            responses[status]["content"] = {"application/json": content}
    if endpoint.returns_content and not endpoint.returns_page:
        responses[206] = {**responses[endpoint.status], "description": "The requested range of bytes."}
        responses[302] = {"description": "The bytes are at `Location`.", "headers": headers}
    if endpoint.cacheable:
        responses[304] = {"description": "Not modified.", "headers": headers}
    for status, codes in sorted(problems_of(endpoint).items()):
        is_common = _COMMON.get(status) == codes
        responses[status] = (
            {"$ref": f"#/components/responses/{_response_name(status)}"} if is_common else _problem(status, codes)
        )
    ordered: Json = {str(status): responses[status] for status in sorted(responses)}
    ordered["default"] = {"$ref": "#/components/responses/Problem"}
    return ordered


_DONE = {200: "OK.", 201: "Created.", 202: "Accepted; processing continues.", 204: "Done; no content."}


def problems_of(endpoint: Endpoint) -> dict[int, Codes]:
    """Return the possible error codes by status: those of its kind of endpoint, and those it declares."""
    kinds: list[type[Refusal] | type[Busy]] = [TooMany, Busy]
    if endpoint.takes_actor:
        kinds += [Unauthenticated, Forbidden, *([] if endpoint.scope else [UserRequired])]
    if endpoint.who == "person":
        kinds += [Invalid, UnknownUsers]  # of the header Sobremesa-Act-As
    if endpoint.path_fields:
        kinds += [NotFound, Invalid]
    if endpoint.body is not None:
        kinds += [MalformedRequest, UnsupportedMedia, TooBig, Invalid]
    if endpoint.takes_upload:
        kinds += [MalformedRequest, TooBig, Invalid]
    if endpoint.query is not None or endpoint.takes_idempotency_key:
        kinds.append(Invalid)
    found: dict[int, Codes] = {504: dict(_TIMED_OUT)}
    for kind in (*kinds, *endpoint.errors):
        found.setdefault(status_of(kind), {})[kind.code] = kind.default_detail
    if endpoint.query is not None and "cursor" in endpoint.query.__struct_fields__:
        found[422] |= _BAD_CURSOR
    return found


def _problem(status: int, codes: Mapping[str, str]) -> Json:
    code, detail = next(iter(codes.items()))
    example: Json = {
        "type": TYPE_PREFIX + code,
        "title": TITLES[status],
        "status": status,
        "detail": detail,
        "code": code,
    }
    schema: Json = {"$ref": REF.format(name="Problem")}
    if status < 500:
        schema = {"allOf": [schema, {"properties": {"code": {"enum": list(codes)}}}]}
    description = "\n".join([f"{TITLES[status]}.", "", *(f"- `{code}`: {detail}" for code, detail in codes.items())])
    limited = ("RateLimit", "RateLimit-Policy", "Retry-After") if status == 429 else ()
    busy = ("Retry-After",) if status == 503 else ()
    return {
        "description": description,
        "headers": _header_refs("X-Request-Id", *limited, *busy),
        "content": {PROBLEM: {"schema": schema, "example": example}},
        "x-codes": dict(codes),
    }


def _header_refs(*names: str) -> Json:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}


def _response_name(status: int) -> str:
    return "".join(word.capitalize() for word in TITLES[status].split())


def _without_null(schema: Json) -> Json:
    """Return the schema of an optional parameter, which is never null."""
    rest = {key: value for key, value in schema.items() if key not in ("anyOf", "default")}
    choices = [choice for choice in schema.get("anyOf", ()) if choice != {"type": "null"}]
    default = {"default": schema["default"]} if schema.get("default") is not None else {}
    if not choices:
        return {**rest, **default}
    return {**rest, **(choices[0] if len(choices) == 1 else {"anyOf": choices}), **default}
