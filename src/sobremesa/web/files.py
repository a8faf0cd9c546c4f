"""The files of the build, read once: only what is in this dictionary can be requested, whatever the path."""

from __future__ import annotations

import hashlib
import html
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

DIST = Path(__file__).parent / "dist"
INDEX = "/index.html"
ASSETS = "/assets/"
"""The folder of files with a hash in their names."""

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
    ".png": "image/png",
}
ENCODINGS = {"br": ".br", "gzip": ".gz"}
"""In order of size: the first one that the browser accepts is sent."""

_ABSOLUTE = re.compile(rb'((?:href|src)=")/(?!/)')


class Body(NamedTuple):
    """The bytes of a file in one encoding."""

    content: bytes
    etag: str


class File(NamedTuple):
    """A file of the build; `encoded` are its precompressed bodies."""

    content_type: str
    is_immutable: bool
    plain: Body
    encoded: dict[str, Body]


def read_build(directory: Path = DIST) -> dict[str, File]:
    """Return every file of the build by its URL path; none if nothing is built."""
    files = {}
    for path in sorted(directory.rglob("*")):
        content_type = TYPES.get(path.suffix)
        if content_type is None or not path.is_file():
            continue
        url_path = "/" + path.relative_to(directory).as_posix()
        siblings = {name: path.with_name(path.name + suffix) for name, suffix in ENCODINGS.items()}
        encoded = {name: _body(sibling, name) for name, sibling in siblings.items() if sibling.is_file()}
        files[url_path] = File(content_type, url_path.startswith(ASSETS), _body(path, "plain"), encoded)
    return files


def with_meta(files: Mapping[str, File], name: str, content: str) -> dict[str, File]:
    """Return the files with a `meta` element added to the page; unchanged if nothing is built."""
    index = files.get(INDEX)
    if index is None:
        return dict(files)
    return {**files, INDEX: _page(index, _with_meta(index.plain.content, name, content))}


def mounted(index: File, prefix: str) -> File:
    """Return the page for a site under a prefix, such as `/chat`: its absolute paths and its base have the prefix."""
    content = _ABSOLUTE.sub(rb"\1" + html.escape(prefix).encode() + b"/", index.plain.content)
    return _page(index, _with_meta(content, "sobremesa-base", prefix))


def _with_meta(page: bytes, name: str, content: str) -> bytes:
    meta = f'<meta name="{html.escape(name)}" content="{html.escape(content)}">'
    return page.replace(b"</head>", meta.encode() + b"</head>", 1)


def _page(index: File, content: bytes) -> File:
    return index._replace(plain=_body_of(content, "plain"), encoded={})


def _body(path: Path, encoding: str) -> Body:
    return _body_of(path.read_bytes(), encoding)


def _body_of(content: bytes, encoding: str) -> Body:
    digest = hashlib.blake2b(content, digest_size=12, person=encoding.encode()).hexdigest()
    return Body(content, f'"{digest}"')
