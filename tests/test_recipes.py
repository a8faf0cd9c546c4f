"""The recipes of the docs work, line by line."""

from __future__ import annotations

from pathlib import Path

from test_readme import ROOT, shell_block, typed, values_in


def test_backend_creates_users_writes_as_them_and_publishes(tmp_path: Path) -> None:
    lines = shell_block(ROOT / "docs" / "backend.md", "Try it")
    unread, history, published = values_in(typed(lines, tmp_path))

    assert unread["total"]["count"] == 1
    assert [(message["type"], message["content"]) for message in history["items"]] == [
        ("system", "Your order has shipped"),
        ("text", "Is it still available?"),
    ]
    assert history["items"][1]["displayName"] == "Ana Ruiz"
    assert (published["recipients"], published["state"]) == (1, "done")
