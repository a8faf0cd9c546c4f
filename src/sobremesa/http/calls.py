"""Calls: the endpoints over an open socket, with the same types, errors, limits and permissions as over HTTP.

A call names its endpoint (`channels.sendMessage`) and passes path parameters, query and body as the fields of one
object; or it is a request line (`POST /v1/channels/ID/messages`) and passes only the body, or the query where there is
no body.
"""

from __future__ import annotations

from collections.abc import Iterable
from time import perf_counter
from typing import Any, NamedTuple
from urllib.parse import quote

import msgspec

from sobremesa.core.actor import Actor
from sobremesa.core.errors import Invalid, NotFound, TooBig
from sobremesa.http.decoding import MAX_KEY_CHARACTERS, decoded_body, decoded_query
from sobremesa.http.endpoints import PREFIX, Endpoint, camel
from sobremesa.http.invocation import Invocations, Response
from sobremesa.http.limits import Limits
from sobremesa.http.logs import log_request
from sobremesa.http.metrics import Metrics
from sobremesa.http.problems import MalformedRequest, NotCallable
from sobremesa.http.router import Router
from sobremesa.http.trace import Trace
from sobremesa.http.user_references import Users

MAX_PARAMS_BYTES = 32 * 1024
KEY_FIELD = "idempotencyKey"

_encode = msgspec.json.Encoder().encode
_decode_params = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


class Caller(NamedTuple):
    """The actor and the address of a call."""

    actor: Actor
    address: str
    name: str
    """The name of this connection in the log."""
    act_as: str | None = None
    """The user that the actor, a server key, acts as."""


class Call(NamedTuple):
    """A call with its endpoint and its input."""

    endpoint: Endpoint
    path_values: list[str]
    fields: dict[str, msgspec.Raw]
    body: Any = None
    """The body, if it is decoded already; then there are no other fields."""

    @property
    def is_read(self) -> bool:
        """Whether it changes nothing, so that its order does not matter."""
        return self.endpoint.method == "GET"


class Calls:
    """All endpoints, by name and by request line."""

    def __init__(
        self,
        endpoints: Iterable[Endpoint],
        limits: Limits,
        metrics: Metrics,
        *,
        request_seconds: float,
        users: Users | None = None,
    ) -> None:
        self._endpoints = tuple(endpoints)
        self._by_name = {endpoint.name: endpoint for endpoint in self._endpoints}
        self._at_once = {each.name: _AtOnce(each) for each in self._endpoints if _AtOnce.is_for(each)}
        self._router = Router(self._endpoints)
        self._invocations = Invocations(limits, request_seconds=request_seconds, users=users)
        self._metrics = metrics

    def find(self, method: str, params: bytes) -> Call:
        """Return the call of a method.

        NotFound if it is unknown, NotCallable for uploads and downloads, TooBig or MalformedRequest for bad parameters.
        """
        if len(params) > MAX_PARAMS_BYTES:
            raise TooBig(f"The parameters may have at most {MAX_PARAMS_BYTES} bytes.", limit=MAX_PARAMS_BYTES)
        at_once = self._at_once.get(method)
        if at_once is not None and (decoded := at_once.decode(params)) is not None:
            return decoded
        try:
            fields = {} if params == b"null" else _decode_params(params)
        except msgspec.ValidationError:
            raise Invalid(errors=[{"in": "params", "pointer": "#", "detail": "Expected `object`"}]) from None
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise MalformedRequest("The parameters are not valid JSON.") from None
        call = self._by_request_line(method, fields) if " " in method else self._by_method_name(method, fields)
        if not call.endpoint.returns_json or call.endpoint.takes_upload:
            raise NotCallable
        return call

    async def run(self, caller: Caller, call: Call) -> Response:
        """Run a call, and return its response, also for errors."""
        started_at = perf_counter()
        endpoint, trace = call.endpoint, Trace(caller.name)
        response = await self._invocations.run(endpoint, call.path_values, _CallInput(caller, call), trace)
        seconds = perf_counter() - started_at
        self._metrics.record(endpoint.route, endpoint.method, response.status, seconds)
        log_request(
            endpoint.method,
            endpoint.route,
            response.status,
            trace.code,
            round(seconds * 1000, 2),
            caller.name,
            trace.actor or caller.actor.name,
        )
        return response

    def _by_method_name(self, name: str, fields: dict[str, msgspec.Raw]) -> Call:
        endpoint = self._by_name.get(name)
        if endpoint is None:
            raise NotFound
        return Call(endpoint, [_path_value(fields, field) for field in endpoint.path_fields], fields)

    def _by_request_line(self, line: str, fields: dict[str, msgspec.Raw]) -> Call:
        method, _, path = line.partition(" ")
        by_method, path_values = self._router.find(quote(path, safe="/%").removeprefix(PREFIX))
        endpoint = by_method.get(method.upper())
        if endpoint is None:
            raise NotFound
        return Call(endpoint, path_values, fields)


class _AtOnce:
    """Decodes all parameters of an endpoint at once, if there is no mistake in them: body and path.

    Otherwise they are decoded in steps, each of which locates its mistakes, when it is their turn. It is for the
    endpoints that are called most, if they take nothing else.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        fields = [(field, str) for field in endpoint.path_fields]
        self._decode = msgspec.json.Decoder(
            msgspec.defstruct("Params", fields, bases=(endpoint.body,), kw_only=True)
        ).decode
        self._body_fields = endpoint.body.__struct_fields__

    @staticmethod
    def is_for(endpoint: Endpoint) -> bool:
        """Return whether the parameters of an endpoint can be decoded at once."""
        body = endpoint.body
        if endpoint.limit != "send" or not isinstance(body, type) or not issubclass(body, msgspec.Struct):
            return False
        takes_more = endpoint.takes_idempotency_key or endpoint.takes_headers or endpoint.query is not None
        is_text = endpoint.text_fields.issuperset(endpoint.path_fields)
        is_plain = is_text and endpoint.max_values is None and endpoint.text_fields.isdisjoint(body.__struct_fields__)
        return is_plain and not takes_more

    def decode(self, params: bytes) -> Call | None:
        """Return the call; None if the parameters have a mistake."""
        try:
            given = self._decode(params)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None
        path_values = [getattr(given, field) for field in self._endpoint.path_fields]
        if "" in path_values:
            return None
        body = self._endpoint.body(**{field: getattr(given, field) for field in self._body_fields})
        return Call(self._endpoint, path_values, {}, body)


class _CallInput(NamedTuple):
    """The input of an endpoint from a call."""

    caller: Caller
    call: Call

    @property
    def address(self) -> str:
        return self.caller.address

    @property
    def act_as(self) -> str | None:
        return self.caller.act_as

    async def authenticate(self) -> Actor:
        return self.caller.actor

    async def decode(self, endpoint: Endpoint) -> dict[str, Any]:
        if self.call.body is not None:
            return {"body": self.call.body}
        fields = self.call.fields
        arguments: dict[str, Any] = {}
        if endpoint.takes_idempotency_key:
            arguments["idempotency_key"] = _idempotency_key(fields)
        if endpoint.takes_headers:
            arguments["headers"] = {}
        if endpoint.query is not None:
            names = fields if endpoint.body is None else endpoint.query.__struct_encode_fields__
            given = {name: msgspec.json.decode(fields.pop(name)) for name in list(fields) if name in names}
            arguments["query"] = decoded_query(endpoint, given)
        if endpoint.body is not None:
            raw = b"{%b}" % b",".join(b"%b:%b" % (_encode(name), value) for name, value in fields.items())
            arguments["body"] = decoded_body(endpoint, raw)
        elif fields and endpoint.query is None:
            unknown = next(iter(fields))
            detail = f"Object contains unknown field `{unknown}`"
            raise Invalid(errors=[{"in": "params", "pointer": f"#/{unknown}", "detail": detail}])
        return arguments


def _path_value(fields: dict[str, msgspec.Raw], field: str) -> str:
    """Return the value of a path parameter; Invalid if it is missing or has the wrong type."""
    name = camel(field)
    raw = fields.pop(name, None)
    value: Any = None if raw is None else msgspec.json.decode(raw)
    if isinstance(value, str | int) and not isinstance(value, bool) and value != "":
        return str(value)
    detail = f"Object missing required field `{name}`" if raw is None else "Expected `str`"
    raise Invalid(errors=[{"in": "params", "pointer": f"#/{name}", "detail": detail}])


def _idempotency_key(fields: dict[str, msgspec.Raw]) -> str | None:
    raw = fields.pop(KEY_FIELD, None)
    key: Any = None if raw is None else msgspec.json.decode(raw)
    if key is None:
        return None
    if not (isinstance(key, str) and 1 <= len(key) <= MAX_KEY_CHARACTERS and key.isascii()):
        detail = f"Expected 1 to {MAX_KEY_CHARACTERS} ASCII characters"
        raise Invalid(errors=[{"in": "params", "pointer": f"#/{KEY_FIELD}", "detail": detail}])
    return key
