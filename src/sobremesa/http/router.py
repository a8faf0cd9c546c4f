"""The router: from a method and a path to an endpoint, one step for each segment of the path."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import unquote

from sobremesa.http.endpoints import Endpoint


class _Node:
    __slots__ = ("endpoints", "literals", "place")

    def __init__(self) -> None:
        self.literals: dict[str, _Node] = {}
        self.place: _Node | None = None
        self.endpoints: dict[str, Endpoint] = {}


class Router:
    """Finds endpoints; a literal segment goes before a place: `/users/me` before `/users/{user_id}`."""

    def __init__(self, endpoints: Iterable[Endpoint]) -> None:
        self._root = _Node()
        for endpoint in endpoints:
            self._add(endpoint)

    def find(self, path: str) -> tuple[dict[str, Endpoint], list[str]]:
        """The endpoints of a path by method, and what stands in its places; none if nothing is there.

        The path is as it was sent: split before it is decoded, so that an encoded slash stays inside its place.
        """
        found: list[str] = []
        segments = path[1:].split("/")
        if "%" in path:
            # What is no UTF-8 becomes half characters, which no place takes: refused as any other bad part.
            segments = [unquote(segment, errors="surrogateescape") for segment in segments]
        node = self._straight(segments, found)
        if node is None:
            found.clear()
            node = self._walk(self._root, segments, 0, found)
        return (node.endpoints, found) if node is not None else ({}, found)

    def _straight(self, segments: list[str], found: list[str]) -> _Node | None:
        """The end of the way that never has to turn back, as nearly all requests go."""
        node = self._root
        for segment in segments:
            literal = node.literals.get(segment)
            if literal is None:
                if node.place is None or not segment:
                    return None
                found.append(segment)
                literal = node.place
            node = literal
        return node if node.endpoints else None

    def _walk(self, node: _Node, segments: list[str], at: int, found: list[str]) -> _Node | None:
        if at == len(segments):
            return node if node.endpoints else None
        segment = segments[at]
        literal = node.literals.get(segment)
        if literal is not None:
            end = self._walk(literal, segments, at + 1, found)
            if end is not None:
                return end
        if node.place is None or not segment:
            return None
        found.append(segment)
        end = self._walk(node.place, segments, at + 1, found)
        if end is None:
            found.pop()
        return end

    def _add(self, endpoint: Endpoint) -> None:
        node = self._root
        for segment in endpoint.path[1:].split("/"):
            if segment.startswith("{"):
                node.place = node.place or _Node()
                node = node.place
            else:
                node = node.literals.setdefault(segment, _Node())
        if endpoint.method in node.endpoints:
            raise ValueError(f"two endpoints are at {endpoint!r}")
        node.endpoints[endpoint.method] = endpoint
