"""Decoding: parses the input of a request into the types of its endpoint, or raises errors that locate the mistake."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping
from typing import Any, Literal, NoReturn, TypeAlias, get_origin
from urllib.parse import parse_qs, parse_qsl

import msgspec

from sobremesa.core.errors import Invalid, NotFound, TooBig
from sobremesa.http.asgi import Receive
from sobremesa.http.endpoints import Endpoint, Upload, camel
from sobremesa.http.problems import MalformedRequest, UnsupportedMedia
from sobremesa.table.errors import BadKey
from sobremesa.table.keys import check_part, utf8_length

Where: TypeAlias = Literal["body", "query", "header", "path"]

MAX_ID_CHARACTERS = 200
MAX_KEY_CHARACTERS = 255
MAX_FORM_FIELDS = 10
ACT_AS = b"sobremesa-act-as"
"""The header with the user that a server key acts as."""

_JSON = b"application/json"
_FORM = b"application/x-www-form-urlencoded"
_NAMED = re.compile(r"(?:missing required|contains unknown) field `([^`]*)`")
_STEP = re.compile(r"\.([^.\[]+)|\[([^\]]*)\]")


def path_arguments(endpoint: Endpoint, path_values: list[str]) -> dict[str, Any]:
    """Return the arguments from the path; Invalid if one has the wrong type.

    A value outside a parameter's `Literal` is NotFound.
    """
    arguments: dict[str, Any] = {}
    for field, text in zip(endpoint.path_fields, path_values, strict=True):
        # An id becomes part of a key. The full check is slow; letters and digits do not need it.
        if len(text) > MAX_ID_CHARACTERS or not (text.isascii() and text.isalnum()):
            _check_parameter(endpoint, field, text)
        if field in endpoint.text_fields:
            # Most are ids. To convert one would examine its type again for each request.
            arguments[field] = text
            continue
        try:
            arguments[field] = msgspec.convert(text, endpoint.path_types[field], strict=False)
        except msgspec.ValidationError as error:
            if get_origin(endpoint.path_types[field]) is Literal:
                raise NotFound from None
            raise _error_at("path", f"/{camel(field)}", str(error)) from None
    return arguments


def _check_parameter(endpoint: Endpoint, field: str, text: str) -> None:
    """Raise Invalid if this text cannot be a path parameter: one rule for all routes."""
    name = camel(field)
    if len(text) > MAX_ID_CHARACTERS:
        raise _error_at("path", f"/{name}", f"Expected at most {MAX_ID_CHARACTERS} characters")
    try:
        if field in endpoint.id_fields:
            check_part(name, text)
        else:
            utf8_length(text)
    except BadKey as error:
        raise _error_at("path", f"/{name}", str(error)) from None


def query_of(endpoint: Endpoint, query_string: bytes) -> Any:
    """Return the query parameters as the endpoint's type; Invalid if they do not match it."""
    if not query_string:
        return decoded_query(endpoint, {})
    pairs = parse_qsl(query_string.decode("latin-1"), keep_blank_values=True)
    given = dict(pairs)
    if len(given) < len(pairs):
        raise _error_at("query", "", "A parameter is repeated")
    query = decoded_query(endpoint, given)
    if b"null" in query_string.lower():
        _refuse_nulls(query, given)
    return query


def decoded_query(endpoint: Endpoint, given: Mapping[str, Any]) -> Any:
    """Return parameters as the endpoint's type; Invalid if they do not match it."""
    try:
        return msgspec.convert(given, endpoint.query, strict=False)
    except msgspec.ValidationError as error:
        raise _invalid(error, "query") from None


def _refuse_nulls(query: msgspec.Struct, given: Mapping[str, str]) -> None:
    """Refuse the text `null`, which a lenient conversion turns into None."""
    for field in msgspec.structs.fields(query):
        if field.encode_name in given and getattr(query, field.name) is None:
            raise _error_at("query", f"/{field.encode_name}", "Expected a value")


def idempotency_key(headers: dict[bytes, bytes]) -> str | None:
    """Return the header of that name; Invalid if it is too long or not ASCII."""
    key = headers.get(b"idempotency-key")
    if key is None:
        return None
    if not 1 <= len(key) <= MAX_KEY_CHARACTERS or not key.isascii():
        raise _error_at("header", "/Idempotency-Key", f"Expected 1 to {MAX_KEY_CHARACTERS} ASCII characters")
    return key.decode("ascii")


def act_as_of(header: bytes) -> str:
    """Return the user that the header names; Invalid if it is empty, too long or not UTF-8."""
    try:
        reference = header.decode()
    except UnicodeDecodeError:
        reference = ""
    if not 1 <= len(reference) <= MAX_ID_CHARACTERS:
        raise _error_at("header", "/Sobremesa-Act-As", f"Expected 1 to {MAX_ID_CHARACTERS} characters")
    return reference


def body_of(endpoint: Endpoint, headers: dict[bytes, bytes], raw: bytes) -> Any:
    """Return the body as the endpoint's type."""
    if not raw and endpoint.body_is_optional:
        return endpoint.body()
    content_type = headers.get(b"content-type", _JSON)
    if endpoint.form_field is not None and _media_type(content_type) == _FORM:
        raw = _form_value(endpoint.form_field, raw)
    elif not is_json(content_type):
        raise UnsupportedMedia
    return decoded_body(endpoint, raw)


def _form_value(field: str, raw: bytes) -> bytes:
    """Return a field of a form; MalformedRequest if there is none."""
    try:
        return parse_qs(raw.decode(), max_num_fields=MAX_FORM_FIELDS)[field][0].encode()
    except (KeyError, ValueError):
        raise MalformedRequest(f"Expected JSON, or a form with JSON in `{field}`.") from None


def decoded_body(endpoint: Endpoint, raw: bytes) -> Any:
    """Return JSON as the endpoint's type; MalformedRequest if it is not JSON, Invalid if it does not match the type."""
    if endpoint.max_values is not None and raw.count(b",") > endpoint.max_values:
        raise TooBig("The body has too many values.", limit=endpoint.max_values)
    try:
        assert endpoint.decode_body is not None  # noqa: S101 - for the type checker
        return endpoint.decode_body(raw)
    except msgspec.ValidationError as error:
        raise _invalid(error, "body") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise MalformedRequest("The body is not valid JSON.") from None


def is_json(content_type: bytes) -> bool:
    """Return whether a content type is JSON."""
    return content_type == _JSON or _media_type(content_type) == _JSON


def _media_type(content_type: bytes) -> bytes:
    return content_type.partition(b";")[0].strip().lower()


async def read_body(receive: Receive, headers: dict[bytes, bytes], limit: int) -> bytes:
    """Read the body; TooBig as soon as its size is known to exceed the limit."""
    _check_content_length(headers, limit)
    pieces: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise MalformedRequest("The body is incomplete.")
        piece: bytes = message.get("body", b"")
        size += len(piece)
        if size > limit:
            _too_big(limit)
        if not message.get("more_body"):
            return b"".join([*pieces, piece]) if pieces else piece
        pieces.append(piece)


def upload_of(receive: Receive, headers: dict[bytes, bytes], limit: int) -> Upload:
    """Return the body as a stream, which raises TooBig beyond the limit."""
    _check_content_length(headers, limit)
    return Upload(headers.get(b"content-type", b"").decode("latin-1"), _pieces(receive, limit))


async def _pieces(receive: Receive, limit: int) -> AsyncIterator[bytes]:
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise MalformedRequest("The body is incomplete.")
        piece: bytes = message.get("body", b"")
        size += len(piece)
        if size > limit:
            _too_big(limit)
        if piece:
            yield piece
        if not message.get("more_body"):
            return


def _check_content_length(headers: dict[bytes, bytes], limit: int) -> None:
    declared = headers.get(b"content-length", b"0")
    if declared.isdigit() and int(declared) > limit:
        _too_big(limit)


def _too_big(limit: int) -> NoReturn:
    raise TooBig(f"The body may have at most {limit} bytes.", limit=limit)


def body_error(error: msgspec.ValidationError) -> Invalid:
    """Return the refusal of JSON that does not match its type, such as a line of a body."""
    return _invalid(error, "body")


def _invalid(error: msgspec.ValidationError, where: Where) -> Invalid:
    """Return the location of the mistake as a JSON pointer. The text names fields and types, never the input."""
    what, _, path = str(error).partition(" - at ")
    named = _NAMED.search(what)
    # msgspec writes a path as `$.items[0].name`, and the key of an object as "`key` in `$.data`".
    steps = [name or index for name, index in _STEP.findall(path.rpartition("$")[2].rstrip("`"))]
    if named is not None:
        steps.append(named[1])
    pointer = "".join("/" + step.replace("~", "~0").replace("/", "~1") for step in steps)
    return _error_at(where, pointer, what)


def _error_at(where: Where, pointer: str, what: str) -> Invalid:
    return Invalid(errors=[{"in": where, "pointer": "#" + pointer, "detail": what}])
