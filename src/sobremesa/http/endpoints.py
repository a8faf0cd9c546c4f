"""Endpoints: a route is declared by a typed function.

    def routes(communities: Communities) -> Routes:
        api = Routes("Communities")

        @api.post("/servers", status=201, errors=[KeyReused])
        async def create_server(actor: Actor, body: NewServer) -> ServerView:
            \"""Create a server. The caller becomes its owner.\"""
            return server_view(await communities.create_server(actor, name=body.name))

The parameters of the function declare the input of the request: `actor` requires a token, `body` is the JSON body,
`query` the query parameters, `idempotency_key` that header, and every path parameter an argument of its name. For
requests of other products' formats, `headers` has all headers, in lower case. The return value is the response. The
docstring is the API documentation.

Bytes are streamed: `upload` is a body that is not JSON (with a `body` as well, only one of the two is passed),
`byte_range` the header `Range`, and a handler that returns `Content` returns bytes, one that returns `HtmlPage` a page.
"""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from types import CodeType, FunctionType
from typing import Annotated, Any, Generic, Literal, NewType, TypeAlias, TypeVar

import msgspec

from sobremesa.core.actor import UserId
from sobremesa.core.errors import Refusal
from sobremesa.http.user_references import is_user_id, names_users

T = TypeVar("T")

Method: TypeAlias = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
Who: TypeAlias = Literal["anyone", "person", "key"]
LimitClass: TypeAlias = Literal["read", "write", "send", "upload", "credentials", "heavy", "identify"]

PREFIX = "/v1"
"""The prefix of all endpoints: the route `/servers` is at `/v1/servers`."""

DEFAULT_LIMIT = 50
MAX_LIMIT = 100

Limit = Annotated[int, msgspec.Meta(ge=1, le=MAX_LIMIT, description="Maximum number of items.")]
Cursor = Annotated[str, msgspec.Meta(max_length=8192, description="`next` of the previous page.")]
IdempotencyKey = Annotated[str, msgspec.Meta(min_length=1, max_length=255)]


class Input(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """What a client sends. Unknown fields are refused: most often they are misspelled."""


class Output(msgspec.Struct, rename="camel"):
    """What a client receives."""


NamedUser = Annotated[
    UserId,
    msgspec.Meta(
        min_length=1,
        max_length=200,
        description="With a server key: the user that it does this for, by id or by `ext:` and the external id.",
    ),
]


class PageQuery(Input):
    """The page of a list."""

    limit: Limit = DEFAULT_LIMIT
    cursor: Cursor | None = None


class Listed(Output, Generic[T]):
    """One page of a list; `next` is the cursor of the next page, null at the end."""

    items: list[T]
    next: str | None = None


class Answer(Generic[T]):
    """A result with its own status, for endpoints that have two."""

    __slots__ = ("status", "value")

    def __init__(self, value: T, *, status: int) -> None:
        self.value = value
        self.status = status


class Encoded(Generic[T]):
    """A result that is already encoded as JSON."""

    __slots__ = ("json",)

    def __init__(self, json: bytes) -> None:
        self.json = json


class Lines:
    """A result that is streamed as lines of JSON."""

    __slots__ = ("values",)

    def __init__(self, values: AsyncIterator[Any]) -> None:
        self.values = values


class Upload:
    """A body that is not JSON, as a stream; reading it raises beyond the endpoint's limit."""

    __slots__ = ("content_type", "pieces")

    def __init__(self, content_type: str, pieces: AsyncIterator[bytes]) -> None:
        self.content_type = content_type
        """As it was sent, with its parameters; empty if missing."""
        self.pieces = pieces


class Content:
    """A result of bytes with its own headers, or a redirect to them."""

    __slots__ = ("headers", "pieces", "status")

    def __init__(
        self,
        pieces: AsyncGenerator[bytes, None] | None,
        headers: Mapping[str, str],
        *,
        status: Literal[200, 206, 302] = 200,
    ) -> None:
        self.pieces = pieces
        self.headers = headers
        self.status = status

    @classmethod
    def at(cls, url: str) -> Content:
        """Return a redirect to a URL."""
        return cls(None, {"location": url}, status=302)


class HtmlPage(Content):
    """A result that is a page for browsers."""

    __slots__ = ()


Handler: TypeAlias = Callable[..., Awaitable[Any]]


class Endpoint:
    """One route: its input, output, permissions and errors."""

    def __init__(
        self,
        method: Method,
        path: str,
        handler: Handler,
        *,
        tag: str,
        tag_description: str,
        status: int,
        also_status: int | None,
        errors: Sequence[type[Refusal]],
        scope: str | None,
        also_scopes: Sequence[str],
        key_scope: str | None,
        key_acts_as: str | None,
        acting_scopes: Sequence[str],
        limit: LimitClass,
        max_body: int | None,
        max_values: int | None,
        max_upload: int | None,
        form_field: str | None,
        admit: Handler | None,
        cacheable: bool,
    ) -> None:
        hints = _type_hints(handler)
        path_hints = hints if admit is None else _type_hints(admit)
        self.method = method
        self.path = path
        self.handler = handler
        self.tag = tag
        self.tag_description = tag_description
        self.status = status
        self.also_status = also_status
        self.errors = tuple(errors)
        self.scope = scope
        self.also_scopes = tuple(also_scopes)
        self.key_scope = key_scope
        """The scope with which a server key may call an endpoint of users in its own name; None if it may not."""
        self.key_acts_as = key_acts_as
        """The field of the body in which a server key names the user that it does this for."""
        self.acting_scopes = tuple(acting_scopes)
        """The scopes with which a server key may call it as a user. It needs all of them."""
        self.limit: LimitClass = limit
        self.max_body = max_body
        self.max_values = max_values
        """How many commas its JSON may have: decoding costs more for each value than for each byte."""
        self.max_upload = max_upload
        self.form_field = form_field
        """The field of a form (`application/x-www-form-urlencoded`) in which a client may send the JSON of the body."""
        self.admit = admit
        """Called with the path parameters before the body is read; the handler gets its result as `admitted`."""
        self.cacheable = cacheable
        self.name = f"{tag.lower()}.{camel(handler.__name__)}"
        self.summary, self.description = _documentation(handler)
        self.path_fields = tuple(segment[1:-1] for segment in path.split("/") if segment.startswith("{"))
        self.route = PREFIX + "/".join(_external(segment) for segment in path.split("/"))
        """The path as clients see it, `/v1/servers/{serverId}`."""
        self.path_types = {field: path_hints[field] for field in self.path_fields}
        self.text_fields = {field for field, kind in self.path_types.items() if _is_any_text(kind)}
        self.id_fields = {field for field, kind in self.path_types.items() if isinstance(_unannotated(kind), NewType)}
        self.takes_upload = "upload" in hints
        self.body: Any = _without_none(hints["body"]) if "body" in hints else None
        self.query: Any = hints.get("query")
        self.takes_actor = "actor" in hints
        self.user_fields = tuple(field for field, kind in self.path_types.items() if is_user_id(kind))
        self.names_users = bool(self.user_fields) or names_users(self.body) or names_users(self.query)
        self.takes_idempotency_key = "idempotency_key" in hints
        self.takes_address = "address" in hints
        self.takes_range = "byte_range" in hints
        self.takes_headers = "headers" in hints
        self._set_returned(hints["return"])
        self.decode_body = msgspec.json.Decoder(self.body).decode if self.body else None
        self.body_is_optional = self.body is not None and _is_all_optional(self.body)
        self._check(hints)

    @property
    def who(self) -> Who:
        if not self.takes_actor:
            return "anyone"
        return "key" if self.scope else "person"

    def __repr__(self) -> str:
        return f"{self.method} {self.path}"

    def _set_returned(self, hint: Any) -> None:
        self.returns: Any = _returned(hint)
        self.returns_lines = hint is Lines
        self.returns_page = hint is HtmlPage
        self.returns_content = self.returns_page or hint is Content
        self.returns_json = not (self.returns_lines or self.returns_content)

    def _check(self, hints: dict[str, Any]) -> None:
        known = {*self.path_fields, "body", "upload", "query", "actor", "idempotency_key", "address", "byte_range"}
        known |= {"headers"} if self.admit is None else {"headers", "admitted"}
        unknown = hints.keys() - known - {"return"}
        if unknown:
            raise TypeError(f"{self!r}: {', '.join(sorted(unknown))} is neither a path parameter nor a known argument")
        if not self.summary:
            raise TypeError(f"{self!r} needs a docstring for the API documentation")
        if self.takes_upload != (self.max_upload is not None):
            raise TypeError(f"{self!r}: `upload` and `max_upload` require each other")


class Routes:
    """The endpoints of one section of the API, in the order of the documentation."""

    def __init__(self, tag: str, description: str = "", *, of: Literal["rooms", "users"] = "rooms") -> None:
        self.tag = tag
        self.description = description
        self._of = of
        """What a backend that acts as a user needs the scope of, such as `rooms:read`."""
        self.endpoints: list[Endpoint] = []

    def get(self, path: str, **options: Any) -> Callable[[Handler], Handler]:
        options.setdefault("limit", "read")
        return self._route("GET", path, **options)

    def post(self, path: str, **options: Any) -> Callable[[Handler], Handler]:
        return self._route("POST", path, **options)

    def put(self, path: str, **options: Any) -> Callable[[Handler], Handler]:
        return self._route("PUT", path, **options)

    def patch(self, path: str, **options: Any) -> Callable[[Handler], Handler]:
        return self._route("PATCH", path, **options)

    def delete(self, path: str, **options: Any) -> Callable[[Handler], Handler]:
        options.setdefault("status", 204)
        return self._route("DELETE", path, **options)

    def _route(
        self,
        method: Method,
        path: str,
        *,
        status: int = 200,
        also_status: int | None = None,
        errors: Sequence[type[Refusal]] = (),
        scope: str | None = None,
        also_scopes: Sequence[str] = (),
        key_scope: str | None = None,
        key_acts_as: str | None = None,
        acting_scopes: Sequence[str] = (),
        limit: LimitClass = "write",
        max_body: int | None = None,
        max_values: int | None = None,
        max_upload: int | None = None,
        form_field: str | None = None,
        admit: Handler | None = None,
        cacheable: bool = False,
    ) -> Callable[[Handler], Handler]:
        def declare(handler: Handler) -> Handler:
            self.endpoints.append(
                Endpoint(
                    method,
                    path,
                    handler,
                    tag=self.tag,
                    tag_description=self.description,
                    status=status,
                    also_status=also_status,
                    errors=errors,
                    scope=scope,
                    also_scopes=also_scopes,
                    key_scope=key_scope,
                    key_acts_as=key_acts_as,
                    acting_scopes=acting_scopes or (self._acting_scope(method, limit),),
                    limit=limit,
                    max_body=max_body,
                    max_values=max_values,
                    max_upload=max_upload,
                    form_field=form_field,
                    admit=admit,
                    cacheable=cacheable,
                )
            )
            return handler

        return declare

    def _acting_scope(self, method: Method, limit: LimitClass) -> str:
        if limit == "send":
            return "messages:send"
        return f"{self._of}:{'read' if method == 'GET' else 'write'}"


_evaluated_hints: dict[tuple[str, CodeType], dict[str, Any]] = {}


def _type_hints(handler: Handler) -> dict[str, Any]:
    """Return `typing.get_type_hints` of a handler, evaluated once per process for the handlers of every site.

    Each site declares its handlers anew, as closures over its services, and evaluating their annotations was most of
    the time that a site took to build. Closures of the same code have the same hints only if the annotations are text:
    others are values, which may differ.
    """
    annotations = handler.__annotations__.values()
    if not isinstance(handler, FunctionType) or not all(isinstance(annotation, str) for annotation in annotations):
        return typing.get_type_hints(handler, include_extras=True)
    key = (handler.__module__, handler.__code__)  # code compares by value, and does not know its module
    if key not in _evaluated_hints:
        _evaluated_hints[key] = typing.get_type_hints(handler, include_extras=True)
    return _evaluated_hints[key]


def _documentation(handler: Handler) -> tuple[str, str]:
    """Return the first line of the docstring, and the rest."""
    head, _, rest = (inspect.getdoc(handler) or "").partition("\n")
    return head, " ".join(rest.split())


def _returned(hint: Any) -> Any:
    return typing.get_args(hint)[0] if typing.get_origin(hint) in (Answer, Encoded) else hint


def _is_any_text(kind: Any) -> bool:
    """Return whether every text is of this type."""
    info = msgspec.inspect.type_info(kind)
    while isinstance(info, msgspec.inspect.Metadata):
        info = info.type
    return info == msgspec.inspect.StrType()


def _unannotated(hint: Any) -> Any:
    return hint.__origin__ if typing.get_origin(hint) is Annotated else hint


def _without_none(hint: Any) -> Any:
    """Return the type of an optional body, which an upload may replace."""
    rest = [kind for kind in typing.get_args(hint) if kind is not type(None)]
    return rest[0] if len(rest) == 1 and len(typing.get_args(hint)) == 2 else hint


@functools.cache
def _is_all_optional(body: Any) -> bool:
    return isinstance(body, type) and not any(info.required for info in msgspec.structs.fields(body))


def _external(segment: str) -> str:
    return camel(segment) if segment.startswith("{") else segment


def camel(name: str) -> str:
    """Return a Python name in camelCase."""
    head, *rest = name.split("_")
    return head + "".join(part.capitalize() for part in rest)
