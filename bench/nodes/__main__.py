"""Measure several nodes, one beside Centrifugo, and storms of reconnects: `python -m bench.nodes`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import uvloop
from rich.console import Console
from rich.markdown import Markdown

from bench.lock import Lock
from bench.nodes import beside, cluster, storm
from bench.nodes.centrifugo import CentrifugoMissing, build
from bench.nodes.cluster import BEFORE_TOPICS, QUICK, Sizes
from bench.nodes.page import Beside, centrifugo_page, nodes_page, storms_page
from bench.nodes.processes import source_at
from bench.nodes.storm import BEFORE_SHARING
from sobremesa.loadtest.server import allow_files, own_cores

HERE = Path(__file__).resolve().parent.parent
FILES = 16_384


async def several_nodes(sizes: Sizes, lock: Lock) -> str:
    """Measure several nodes, beside the code from before events by topic."""
    source, before = source_at(BEFORE_TOPICS), None
    if source is not None:
        async with lock.held():
            before = await cluster.measure(source, sizes)
    async with lock.held():
        return nodes_page(sizes, await cluster.measure(None, sizes), before)


async def beside_centrifugo(sizes: Sizes, lock: Lock) -> str:
    """Measure one node, and Centrifugo."""
    program = build()
    async with lock.held():
        ours, event_bytes = await beside.ours(sizes)
    async with lock.held():
        theirs = await beside.theirs(program, event_bytes, sizes)
    return centrifugo_page(sizes, Beside(ours, theirs, event_bytes))


async def storms(sizes: Sizes, lock: Lock) -> str:
    """Measure storms, beside the code from before their work was shared."""
    source, before = source_at(BEFORE_SHARING), None
    if source is not None:
        async with lock.held():
            before = await storm.measure(source, sizes.users)
    async with lock.held():
        now = await storm.measure(None, sizes.users)
    async with lock.held():
        with own_cores() as cores:
            many = await storm.measure(None, sizes.many_users, sizes.many_sockets, cores)
            return storms_page(now, before, many, sizes.many_users, cores)


PARTS: dict[str, Callable[[Sizes, Lock], Coroutine[Any, Any, str]]] = {
    "nodes": several_nodes,
    "centrifugo": beside_centrifugo,
    "storms": storms,
}


def main() -> None:
    """Measure, show the tables, and write the pages."""
    parser = argparse.ArgumentParser(prog="python -m bench.nodes", description=__doc__)
    parser.add_argument("--only", choices=list(PARTS), help="one of the runs; all unless given")
    parser.add_argument("--quick", action="store_true", help="a small run, and no pages")
    parser.add_argument("--out", type=Path, default=HERE, help="the folder for the pages")
    parser.add_argument("--lock", type=Path, help="hold a lock on this file while time is measured")
    given = parser.parse_args()
    allow_files(FILES)
    console, sizes = Console(), QUICK if given.quick else Sizes()
    for part in [given.only] if given.only else PARTS:
        try:
            page = uvloop.run(PARTS[part](sizes, Lock(given.lock)))
        except CentrifugoMissing as missing:
            console.print(f"Centrifugo is skipped, and its page stays as it is: {missing}")
            continue
        console.print(Markdown(page))
        if not given.quick:
            given.out.mkdir(parents=True, exist_ok=True)
            (given.out / f"{part}.md").write_text(page)


if __name__ == "__main__":
    main()
