"""The router, for all routes and paths."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sobremesa.http.endpoints import Endpoint, Method, Routes
from sobremesa.http.router import Router

WORDS = ("users", "me", "servers", "messages")
TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
SEGMENT = st.one_of(st.sampled_from(WORDS), st.sampled_from(["{a}", "{b}"]))
TEMPLATES = st.lists(st.lists(SEGMENT, min_size=1, max_size=4), min_size=1, max_size=8)


def endpoint(path: str, method: Method = "GET") -> Endpoint:
    async def handler(**_: str) -> None:
        """Do nothing."""

    places = [segment[1:-1] for segment in path.split("/") if segment.startswith("{")]
    handler.__annotations__ = {**dict.fromkeys(places, str), "return": None}
    routes = Routes("Tests")
    routes._route(method, path)(handler)
    return routes.endpoints[0]


def distinct(templates: list[list[str]]) -> list[str]:
    """The templates as paths, without those that differ in the names of their places only."""
    shapes: dict[str, None] = {}
    for template in templates:
        named = [f"{{p{at}}}" if segment.startswith("{") else segment for at, segment in enumerate(template)]
        shapes["/" + "/".join(named)] = None
    return list(shapes)


@given(TEMPLATES, st.data())
def test_what_was_put_into_a_path_is_found_again(templates: list[list[str]], data: st.DataObject) -> None:
    paths = distinct(templates)
    router = Router([endpoint(path) for path in paths])
    template = data.draw(st.sampled_from(paths))
    # A text that is also a literal somewhere may lead elsewhere; that is the next test.
    texts = TEXT.filter(lambda text: text not in WORDS)
    values = [data.draw(texts) for segment in template.split("/") if segment.startswith("{")]
    rest = iter(values)
    asked = "/".join(quote(next(rest), safe="") if part.startswith("{") else part for part in template.split("/"))

    by_method, places = router.find(asked)

    assert by_method["GET"].path == template
    assert places == values


@given(TEMPLATES, st.lists(st.sampled_from((*WORDS, "x")), min_size=1, max_size=4))
def test_a_literal_goes_before_a_place(templates: list[list[str]], asked: list[str]) -> None:
    paths = distinct(templates)
    fitting = [path for path in paths if _fits(path, asked)]

    by_method, places = Router([endpoint(path) for path in paths]).find("/" + "/".join(asked))

    if not fitting:
        assert by_method == {}
        return
    # The one that is literal the longest, from the left.
    best = min(fitting, key=lambda path: [segment.startswith("{") for segment in path[1:].split("/")])
    assert by_method["GET"].path == best
    assert places == [text for segment, text in zip(best[1:].split("/"), asked, strict=True) if segment[0] == "{"]


def _fits(path: str, asked: list[str]) -> bool:
    segments = path[1:].split("/")
    return len(segments) == len(asked) and all(
        segment.startswith("{") or segment == text for segment, text in zip(segments, asked, strict=True)
    )


@given(TEMPLATES, st.text(max_size=30))
def test_no_path_breaks_it(templates: list[list[str]], path: str) -> None:
    Router([endpoint(template) for template in distinct(templates)]).find("/" + path)


def test_what_was_tried_in_vain_leaves_nothing_behind() -> None:
    router = Router([endpoint("/users/{a}/me"), endpoint("/{b}/{c}/servers")])
    by_method, places = router.find("/users/x/servers")
    assert by_method["GET"].path == "/{b}/{c}/servers"
    assert places == ["users", "x"]


def test_a_place_is_never_empty() -> None:
    router = Router([endpoint("/users/{user_id}"), endpoint("/users/{user_id}/blocks")])
    for path in ("/users/", "/users//blocks", "/users/x/", "//users/x", "/users/x/blocks/"):
        assert router.find(path) == ({}, [])


def test_one_path_has_one_endpoint_for_each_method() -> None:
    router = Router([endpoint("/users"), endpoint("/users", "POST")])
    assert sorted(router.find("/users")[0]) == ["GET", "POST"]
    with pytest.raises(ValueError, match="duplicate endpoint"):
        Router([endpoint("/users/{a}"), endpoint("/users/{b}")])
