"""A part of a path that could never be part of a key is refused the same way by every route."""

from __future__ import annotations

import pytest

from sobremesa.app import Sobremesa
from sobremesa.core.errors import Invalid
from sobremesa.http.decoding import path_arguments

BAD_PARTS = ["a#b", "*", "$x", "\x00", "e\u0301", "x" * 201, "\udcff"]


@pytest.mark.parametrize("bad", BAD_PARTS, ids=ascii)
async def test_every_id_in_every_path_refuses_what_could_never_be_a_key(bad: str) -> None:
    async with Sobremesa.open("sqlite://", background=False) as app:
        endpoints = [endpoint for endpoint in app.endpoints() if endpoint.id_fields]
    assert {"/workspaces/{workspace_id}/settings/{name}", "/tenants/{tenant}/inboxes/{inbox}/counts"} <= {
        endpoint.path for endpoint in endpoints
    }

    for endpoint in endpoints:
        for field in endpoint.id_fields:
            places = [bad if name == field else "fits" for name in endpoint.path_fields]
            with pytest.raises(Invalid):
                path_arguments(endpoint, places)
