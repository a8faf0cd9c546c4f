"""The API documentation page: the OpenAPI document as HTML.

It has no script and loads only its own style sheet, so it works offline and under a strict content security policy. All
texts of the document are escaped.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from html import escape
from importlib.resources import files
from typing import Any
from urllib.parse import quote

import msgspec

from sobremesa.http.schemas import Json

STYLE = files("sobremesa.http").joinpath("docs.css").read_bytes()
STYLE_PATH = "/docs/style.css"

_METHODS = ("get", "post", "put", "patch", "delete")


def page(document: Json) -> str:
    """Return the HTML page."""
    return _Page(document).html()


class _Page:
    def __init__(self, document: Json) -> None:
        self._document = document
        self._server: str = document["servers"][0]["url"]
        self._tags = {tag["name"]: tag.get("description", "") for tag in document["tags"]}
        self._by_tag: dict[str, list[tuple[str, str, Json]]] = {tag: [] for tag in self._tags}
        for path, item in document["paths"].items():
            for method in _METHODS:
                if method in item:
                    self._by_tag[item[method]["tags"][0]].append((method, path, item[method]))

    def html(self) -> str:
        info = self._document["info"]
        title = escape(info["title"])
        return "".join(
            [
                '<!doctype html><html lang="en"><head><meta charset="utf-8">',
                '<meta name="viewport" content="width=device-width, initial-scale=1">',
                '<meta name="color-scheme" content="light dark">',
                f'<title>{title} API</title><link rel="stylesheet" href="{STYLE_PATH[1:]}"></head><body>',
                f'<nav aria-label="Contents"><p class="brand"><a href="#top">{title}</a> ',
                f"<small>{escape(info['version'])}</small></p>",
                *self._index(),
                '</nav><main id="top">',
                f"<h1>{title} API</h1>{_prose(info['description'])}",
                f"<dl class=facts><dt>Address</dt><dd><code>{escape(self._server)}</code></dd>",
                '<dt>OpenAPI</dt><dd><a href="openapi.json">openapi.json</a>',
                f" (OpenAPI {escape(self._document['openapi'])})</dd></dl>",
                *self._security(),
                *(part for tag in self._by_tag for part in self._section(tag)),
                *self._schemas(),
                "</main></body></html>",
            ]
        )

    def _index(self) -> Iterator[str]:
        for tag, operations in self._by_tag.items():
            yield f'<details open><summary><a href="#{_anchor(tag)}">{escape(tag)}</a></summary><ul>'
            for method, _, operation in operations:
                anchor = _anchor(operation["operationId"])
                yield f'<li><a href="#{anchor}">{_badge(method)}<span>{_heading(operation)}</span></a></li>'
            yield "</ul></details>"
        yield '<p><a href="#schemas">Schemas</a></p>'

    def _security(self) -> Iterator[str]:
        yield '<section id="authentication"><h2>Authentication</h2>'
        yield _prose("Send one of these as `Authorization: Bearer …`.")
        yield "<dl class=facts>"
        for name, scheme in self._document["components"]["securitySchemes"].items():
            yield f"<dt><code>{escape(name)}</code></dt><dd>{_inline(scheme['description'])}</dd>"
        yield "</dl></section>"

    def _section(self, tag: str) -> Iterator[str]:
        yield f'<section id="{_anchor(tag)}"><h2>{escape(tag)}</h2>'
        yield _prose(self._tags[tag])
        for method, path, operation in self._by_tag[tag]:
            yield from self._operation(method, path, operation)
        yield "</section>"

    def _operation(self, method: str, path: str, operation: Json) -> Iterator[str]:
        anchor = _anchor(operation["operationId"])
        yield f'<article id="{anchor}"><h3><a href="#{anchor}">{_heading(operation)}</a></h3>'
        yield f'<p class="route">{_badge(method)}<code>{_path(path)}</code></p>'
        yield _prose(operation["description"])
        yield '<div class="columns"><div>'
        yield from self._parameters(operation)
        yield from self._body(operation)
        yield from self._responses(operation)
        yield '</div><div class="samples">'
        yield f"<h4>Request</h4><pre><code>{escape(self._curl(method, path, operation))}</code></pre>"
        yield from self._response_sample(operation)
        yield "</div></div></article>"

    def _parameters(self, operation: Json) -> Iterator[str]:
        parameters = operation.get("parameters")
        if not parameters:
            return
        yield "<h4>Parameters</h4><dl class=fields>"
        for parameter in parameters:
            place = "" if parameter["in"] == "path" else f" · {escape(parameter['in'])}"
            yield _field(
                parameter["name"], parameter["schema"], parameter["required"], parameter.get("description"), place
            )
        yield "</dl>"

    def _body(self, operation: Json) -> Iterator[str]:
        body = operation.get("requestBody")
        if body is None:
            return
        left_out = "" if body["required"] else " <small>optional</small>"
        yield f"<h4>Body{left_out}</h4>"
        if _is_upload(body):
            yield _prose("A file, as the part `file` of `multipart/form-data` or as the raw body.")
        if _is_lines(body):
            yield _prose("Lines of JSON, `application/x-ndjson`.")
        if "application/json" in body["content"]:
            schema = body["content"]["application/json"]["schema"]
            yield f"<p>{'Or, as JSON: ' if _is_upload(body) else ''}{_type(schema)}</p>"
            yield from self._fields(schema)

    def _fields(self, schema: Json) -> Iterator[str]:
        shown = self._resolved(schema)
        required = shown.get("required", ())
        properties = shown.get("properties", {})
        if not properties:
            return
        yield "<dl class=fields>"
        for name, kind in properties.items():
            yield _field(name, kind, name in required, None, "")
        yield "</dl>"

    def _responses(self, operation: Json) -> Iterator[str]:
        answers = [(status, self._resolved(given)) for status, given in operation["responses"].items()]
        good = [(status, response) for status, response in answers if "x-codes" not in response]
        bad = [(status, response) for status, response in answers if "x-codes" in response and status != "default"]
        yield "<h4>Responses</h4><dl class=answers>"
        for status, response in good:
            kind = response.get("content", {}).get("application/json")
            what = f" {_type(kind['schema'])}" if kind else ""
            yield f"<dt class=good>{escape(status)}</dt><dd>{_inline(response['description'])}{what}</dd>"
        yield "</dl><details><summary>Errors</summary><dl class=answers>"
        for status, response in bad:
            codes = "".join(
                f"<li><code>{escape(code)}</code> {_inline(detail)}</li>"
                for code, detail in response["x-codes"].items()
            )
            yield f"<dt class=bad>{escape(status)}</dt><dd><ul>{codes}</ul></dd>"
        yield "</dl></details>"

    def _response_sample(self, operation: Json) -> Iterator[str]:
        for status, given in operation["responses"].items():
            content = given.get("content", {}).get("application/json")
            if content and status < "400":
                yield f"<h4>Response <small>{escape(status)}</small></h4>"
                yield f"<pre><code>{escape(_pretty(content['example']))}</code></pre>"
                return

    def _curl(self, method: str, path: str, operation: Json) -> str:
        parameters = operation.get("parameters", ())
        for parameter in parameters:
            if parameter["in"] == "path":
                path = path.replace(f"{{{parameter['name']}}}", quote(str(parameter["example"]), safe=""))
        asked = "&".join(
            f"{parameter['name']}={quote(str(parameter.get('example', 'ana')), safe='')}"
            for parameter in parameters
            if parameter["in"] == "query" and parameter["required"]
        )
        verb = "" if method == "get" else f"-X {method.upper()} "
        lines = [f"curl {verb}{shlex.quote(self._server + path + ('?' + asked if asked else ''))}"]
        if operation["security"]:
            token = "$KEY" if "serverKey" in operation["security"][0] else "$TOKEN"
            lines.append(f'-H "Authorization: Bearer {token}"')
        if _is_upload(operation.get("requestBody")):
            lines.append("-F file=@picture.png")
        elif _is_lines(operation.get("requestBody")):
            lines.append("--data-binary @lines.ndjson")
        elif "requestBody" in operation:
            example = operation["requestBody"]["content"]["application/json"]["example"]
            lines += ["-H 'Content-Type: application/json'", f"-d {shlex.quote(_pretty(example))}"]
        return " \\\n  ".join(lines)

    def _schemas(self) -> Iterator[str]:
        yield '<section id="schemas"><h2>Schemas</h2>'
        for name, schema in sorted(self._document["components"]["schemas"].items()):
            yield f'<article class="schema" id="schema-{_anchor(name)}"><h3>{escape(name)}</h3>'
            yield _prose(schema.get("description", ""))
            if "properties" in schema:
                yield from self._fields(schema)
            else:
                yield f"<p>{_type(schema)}</p>"
            yield "</article>"
        yield "</section>"

    def _resolved(self, value: Json) -> Json:
        if "$ref" not in value:
            return value
        found: Any = self._document
        for step in value["$ref"].removeprefix("#/").split("/"):
            found = found[step]
        resolved: Json = found
        return resolved


def _field(name: str, schema: Json, required: bool, description: str | None, place: str) -> str:
    words = description or schema.get("description") or _described(schema)
    need = '<span class="need">required</span>' if required else ""
    return (
        f"<dt><code>{escape(name)}</code> <span class=kind>{_type(schema)}{place}</span> {need}</dt>"
        f"<dd>{_inline(words)}{_default(schema)}</dd>"
    )


def _is_upload(body: Json | None) -> bool:
    return body is not None and "multipart/form-data" in body["content"]


def _is_lines(body: Json | None) -> bool:
    return body is not None and "application/x-ndjson" in body["content"]


def _described(schema: Json) -> str:
    return next((choice["description"] for choice in schema.get("anyOf", ()) if "description" in choice), "")


def _default(schema: Json) -> str:
    default = schema.get("default")
    return "" if default in (None, [], {}) else f" <small>Default <code>{escape(_compact(default))}</code>.</small>"


def _type(schema: Mapping[str, Any]) -> str:
    """Return a type as text, with links to its schemas."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f'<a href="#schema-{_anchor(name)}">{escape(name)}</a>'
    if "enum" in schema:
        return " | ".join(f"<code>{escape(_compact(value))}</code>" for value in schema["enum"])
    if "const" in schema:
        return f"<code>{escape(_compact(schema['const']))}</code>"
    for joined, word in (("anyOf", " or "), ("allOf", " and ")):
        if joined in schema:
            return word.join(_type(choice) for choice in schema[joined])
    kind = schema.get("type", "any")
    if kind == "array":
        return f"list of {_type(schema.get('items', {}))}"
    more = schema.get("additionalProperties")
    if kind == "object" and isinstance(more, dict):
        return f"map of {_type(more)}"
    return escape(str(kind)) + _bounds(schema)


def _bounds(schema: Mapping[str, Any]) -> str:
    """Return the constraints of a string or a number as text."""
    if "minLength" in schema or "maxLength" in schema:
        return f", {_span(schema.get('minLength'), schema.get('maxLength'))} characters"
    low = schema.get("minimum", schema.get("exclusiveMinimum"))
    high = schema.get("maximum", schema.get("exclusiveMaximum"))
    return f", {_span(low, high)}" if low is not None or high is not None else ""


def _span(low: float | None, high: float | None) -> str:
    if high is None:
        return f"at least {low}"
    return f"{low} to {high}" if low else f"at most {high}"


def _heading(operation: Json) -> str:
    return _inline(operation["summary"].removesuffix("."))


def _badge(method: str) -> str:
    return f'<b class="method {method}">{method.upper()}</b>'


def _path(path: str) -> str:
    return re.sub(r"(\{[^}]*\})", r"<var>\1</var>", escape(path))


def _prose(text: str) -> str:
    return f"<p>{_inline(text)}</p>" if text else ""


def _inline(text: str) -> str:
    """Return escaped HTML, with `code` as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def _anchor(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9.]+", "-", name)


def _compact(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _pretty(value: Any) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
