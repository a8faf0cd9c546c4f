"""The router: finds the endpoint of a method and a path, one step for each segment."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import unquote

from sobremesa.http.endpoints import Endpoint


class _Node:
    __slots__ = ("endpoints", "literals", "parameter")

    def __init__(self) -> None:
        self.literals: dict[str, _Node] = {}
        self.parameter: _Node | None = None
        self.endpoints: dict[str, Endpoint] = {}


class Router:
    """Finds endpoints; a literal segment takes precedence over a parameter: `/users/me` before `/users/{user_id}`."""

    def __init__(self, endpoints: Iterable[Endpoint]) -> None:
        self._root = _Node()
        for endpoint in endpoints:
            self._add(endpoint)

    def find(self, path: str) -> tuple[dict[str, Endpoint], list[str]]:
        """Return the endpoints of a path by method, and the values of its parameters; empty if nothing matches.

        The path is split before it is decoded, so that an encoded slash stays inside its parameter.
        """
        found: list[str] = []
        segments = path[1:].split("/")
        if "%" in path:
            # Invalid UTF-8 becomes surrogates, which no parameter accepts: they are refused later.
            segments = [unquote(segment, errors="surrogateescape") for segment in segments]
        node = self._find_fast(segments, found)
        if node is None:
            found.clear()
            node = self._walk(self._root, segments, 0, found)
        return (node.endpoints, found) if node is not None else ({}, found)

    def _find_fast(self, segments: list[str], found: list[str]) -> _Node | None:
        """Return the node of a path without backtracking, which suffices for nearly all requests."""
        node = self._root
        for segment in segments:
            literal = node.literals.get(segment)
            if literal is None:
                if node.parameter is None or not segment:
                    return None
                found.append(segment)
                literal = node.parameter
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
        if node.parameter is None or not segment:
            return None
        found.append(segment)
        end = self._walk(node.parameter, segments, at + 1, found)
        if end is None:
            found.pop()
        return end

    def _add(self, endpoint: Endpoint) -> None:
        node = self._root
        for segment in endpoint.path[1:].split("/"):
            if segment.startswith("{"):
                node.parameter = node.parameter or _Node()
                node = node.parameter
            else:
                node = node.literals.setdefault(segment, _Node())
        if endpoint.method in node.endpoints:
            raise ValueError(f"duplicate endpoint: {endpoint!r}")
        node.endpoints[endpoint.method] = endpoint
