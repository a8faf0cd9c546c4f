"""Extensions: what an application's own modules add to `sobremesa serve`."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from api.calling import client_of, register
from api.running import serving
from sobremesa import Extension
from sobremesa.app import load_extensions
from sobremesa.core.settings import BadSetting

EXAMPLES = Path(__file__).parents[1] / "examples"


async def test_server_loads_card_types_from_a_module(tmp_path: Path) -> None:
    shutil.copy(EXAMPLES / "rental_cards.py", tmp_path)
    with serving("sqlite://", tmp_path / "server.log", extensions="rental_cards:extension") as server:
        async with client_of(server.url) as http:
            buyer, seller = await register(http, "buyer"), await register(http, "seller")
            new = {"kind": "inquiry", "sellerUserId": seller.user_id, "listingId": "drill-1"}
            cards = f"/threads/{(await buyer.post('/threads', new))['threadId']}/cards"

            rental = {"type": "rental", "payload": {"thing": "Drill", "days": 3, "priceADay": 500}}
            card = await seller.post(cards, rental)
            assert (card["type"], card["state"], card["payload"]["days"]) == ("rental", "offered", 3)
            await buyer.post(cards, rental, expect=403)
            await seller.post(cards, rental | {"payload": {"thing": "Drill", "days": 0, "priceADay": 5}}, expect=422)
            moved = await buyer.post(
                f"{cards}/{card['messageId']}/transitions", {"to": "accepted", "version": 1}, expect=200
            )
            assert moved["state"] == "accepted"


@pytest.mark.parametrize(
    ("name", "detail"),
    [
        ("shop", "must be module:name"),
        ("no_such_module:extension", "cannot be loaded: No module named"),
        ("sobremesa:no_such_name", "cannot be loaded"),
        ("sobremesa:Settings", "not a sobremesa.Extension"),
    ],
)
def test_extension_that_cannot_be_loaded_is_refused_with_the_reason(name: str, detail: str) -> None:
    with pytest.raises(BadSetting, match=detail):
        load_extensions([name])


def test_extensions_add_up_but_have_one_judge(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "two_extensions.py").write_text(
        "from sobremesa import Extension\n"
        "one = Extension(setting_types={'a': int}, judge=object())\n"
        "other = Extension(setting_types={'b': str})\n"
        "third = Extension(judge=object())\n"
    )
    together = load_extensions(["two_extensions:one", "two_extensions:other"])
    assert (together.setting_types, together.judge is not None) == ({"a": int, "b": str}, True)
    with pytest.raises(BadSetting, match="2 of them have a judge"):
        load_extensions(["two_extensions:one", "two_extensions:third"])
    assert load_extensions([]) == Extension(card_types=[], setting_types={})
