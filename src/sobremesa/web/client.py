"""Serves the files of the client, and its page for every path of its own routes."""

from __future__ import annotations

from collections.abc import Mapping

from sobremesa.core.errors import NotFound
from sobremesa.http.asgi import Headers, Receive, Scope, Send
from sobremesa.http.mounting import mount_prefix
from sobremesa.http.problems import Problem, problem_of
from sobremesa.http.trace import trace_of
from sobremesa.web.files import ENCODINGS, INDEX, Body, File, mounted

POLICY = (
    b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; "
    b"font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; manifest-src 'self'"
)
"""Scripts and connections of the same origin only."""
FOREVER = b"public, max-age=31536000, immutable"
REVALIDATE = b"no-cache"
ROUTE = "(client)"
SCREENS = frozenset(
    {"", "c", "d", "t", "inbox", "w", "admin", "settings", "invite", "signin", "register", "reset"},
)
"""The first segments of the client's routes (`web/src/App.tsx` and `web/src/screens/routes.tsx`)."""
MAX_PREFIXES = 16
"""How many pages of mounted sites are cached: the prefix may contain a parameter of the outer application."""

NOT_BUILT = b"""<!doctype html>
<html lang="en"><title>Sobremesa</title>
<h1>Sobremesa is running, but its web client is not built</h1>
<p>In the source tree, <code>make install</code> builds it.
Without make: <code>cd web &amp;&amp; npm ci &amp;&amp; npm run build</code>, then restart the server.</p>
<p>The API works without it: see <a href="docs">its documentation</a>.</p>
</html>
"""


class Client:
    """The built client as an ASGI application."""

    def __init__(self, files: Mapping[str, File]) -> None:
        self._files = files
        self._mounted: dict[str, File] = {}
        self._index = files.get(INDEX) or File("text/html; charset=utf-8", False, Body(NOT_BUILT, '"not-built"'), {})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        file = self._find(scope["path"])
        is_known = file is not self._index or scope["path"].split("/")[1] in SCREENS
        if file is self._index and mount_prefix():
            file = self._mounted_index(mount_prefix())
        if file is None or not (is_known or _accepts_html(scope)):
            await _refuse(problem_of(NotFound()), scope, send)
            return
        trace_of(scope).route = ROUTE
        if scope["method"] not in ("GET", "HEAD"):
            problem = Problem(status=405, code="method_not_allowed", detail="Allowed methods: GET, HEAD.")
            await _refuse(problem, scope, send, [(b"allow", b"GET, HEAD")])
            return
        # A browser gets the page at an unknown path, too: it explains that there is nothing.
        await _answer(file, scope, send, status=200 if is_known else 404)

    def _mounted_index(self, prefix: str) -> File:
        """Return the page of a mounted site: its files have the prefix, and a `meta` element has it for the client."""
        if prefix not in self._mounted:
            if len(self._mounted) >= MAX_PREFIXES:
                self._mounted.clear()
            self._mounted[prefix] = mounted(self._index, prefix)
        return self._mounted[prefix]

    def _find(self, path: str) -> File | None:
        """Return the file of this path; the page for routes of the client, which contain no dots."""
        if path in self._files:
            return self._files[path]
        is_route = "." not in path.rpartition("/")[2] and not path.startswith(("/v1/", "/assets/")) and path != "/v1"
        is_served = path == "/" or INDEX in self._files
        return self._index if is_route and is_served else None


def _accepts_html(scope: Scope) -> bool:
    return any(name == b"accept" and b"text/html" in value for name, value in scope["headers"])


async def _answer(file: File, scope: Scope, send: Send, *, status: int) -> None:
    request_headers = {
        name: value for name, value in scope["headers"] if name in (b"accept-encoding", b"if-none-match")
    }
    encoding, body = _choose(file, request_headers.get(b"accept-encoding", b"").decode("latin-1"))
    headers: Headers = [
        (b"etag", body.etag.encode()),
        (b"cache-control", FOREVER if file.is_immutable else REVALIDATE),
        (b"content-security-policy", POLICY),
        (b"vary", b"accept-encoding"),
    ]
    if status == 200 and body.etag in request_headers.get(b"if-none-match", b"").decode("latin-1"):
        await send({"type": "http.response.start", "status": 304, "headers": headers})
        await send({"type": "http.response.body", "body": b""})
        return
    headers += [(b"content-type", file.content_type.encode()), (b"content-length", b"%d" % len(body.content))]
    if encoding is not None:
        headers.append((b"content-encoding", encoding.encode()))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body.content})


def _choose(file: File, accepted: str) -> tuple[str | None, Body]:
    """Return the smallest body that the browser accepts. `q=0` is the only weight used in practice."""
    names = {}
    for part in accepted.lower().split(","):
        name, _, weight = part.strip().partition(";")
        names[name.strip()] = weight.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    for encoding in ENCODINGS:
        if encoding in file.encoded and names.get(encoding, False):
            return encoding, file.encoded[encoding]
    return None, file.plain


async def _refuse(problem: Problem, scope: Scope, send: Send, headers: Headers | None = None) -> None:
    trace_of(scope).code = problem.code
    all_headers = [*problem.headers, *(headers or []), (b"content-length", b"%d" % len(problem.body))]
    await send({"type": "http.response.start", "status": problem.status, "headers": all_headers})
    await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else problem.body})
