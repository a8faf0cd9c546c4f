"""Measure inboxes beside their bound: `python -m bench.inboxes`."""

from __future__ import annotations

import argparse
import platform
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import NamedTuple

import uvloop
from rich.console import Console
from rich.markdown import Markdown

from bench.inboxes.replay import Kept, keeping
from bench.lock import Lock
from bench.progress import Steps, steps
from sobremesa.app import Sobremesa
from sobremesa.core.actor import Actor, KeyId, Tenant, UserId
from sobremesa.core.settings import Settings
from sobremesa.domains.accounts.entities import User
from sobremesa.domains.inboxes.entities import InboxKey
from sobremesa.domains.inboxes.publishing import Notice
from sobremesa.table import Put, open_engine

HERE = Path(__file__).resolve().parent.parent
PAGE = "inboxes.md"
TENANT, INBOX = Tenant("shop"), InboxKey("news")
KEY = Actor(tenant=TENANT, key_id=KeyId("bench"), scopes=frozenset({"inbox:publish"}))
READER = Actor.of_user(UserId("reader"), "reader", TENANT)
NOTICE = Notice(
    sender="shop", title="Half price", body="Today only, while there is some left. " * 6, category="offers", ttl="30d"
)
MESSAGES = 200
"""In the reader's inbox, every other one to everyone."""

METHOD = f"""\
One process, the embedded engine on a file (`synchronous=FULL`). The **bound** is the engine alone: the very requests
that the verb made, kept and made again straight at an engine, one after the other; for the publishing at a new file.
Rounds alternate; a ratio is taken round by round, and the median of the rounds is given. The reader has {MESSAGES}
messages, half of them to everyone. A page is listed again and again: as long as nothing in it changes, it is cached.
"""


class Plan(NamedTuple):
    """The sizes of one run."""

    rounds: int
    people: int
    reads: int


QUICK = Plan(rounds=2, people=2_000, reads=200)
FULL = Plan(rounds=5, people=10_000, reads=2_000)


class Figure(NamedTuple):
    """What one verb took, and the engine alone for the same, in seconds, round by round."""

    name: str
    unit: str
    times: int
    ours: list[float]
    bound: list[float]


async def run(folder: Path, plan: Plan, lock: Lock, console: Console) -> list[Figure]:
    """Everything, one part after the other."""
    with steps(console, "Rounds", 4 * plan.rounds) as shown:
        publishing = await measure_publishing(folder, plan, lock, shown)
        async with Sobremesa.open(f"sqlite:///{folder}/read.db", settings=_settings(), background=False) as app:
            await fill(app)
            inboxes = app.inboxes
            page = await measure_reads(
                "list a page of 50",
                lambda: inboxes.list_messages(READER, TENANT, INBOX, limit=50),
                app,
                plan,
                lock,
                shown,
            )
            changed_page = await measure_reads(
                "the same after a new message",
                lambda: inboxes.list_messages(READER, TENANT, INBOX, limit=50),
                app,
                plan,
                lock,
                shown,
                change=lambda: inboxes.publish_to_users(KEY, TENANT, INBOX, NOTICE, [READER.user_id]),
            )
            counts = await measure_reads("count", lambda: inboxes.count(READER, TENANT, INBOX), app, plan, lock, shown)
    return [publishing, page, changed_page, counts]


async def measure_publishing(folder: Path, plan: Plan, lock: Lock, shown: Steps) -> Figure:
    """Publish to many users by name, until all have it."""
    figure = Figure(f"publish to {plan.people:,} people", "people", plan.people, [], [])
    people = [UserId(f"user-{number:06}") for number in range(plan.people)]
    for number in range(plan.rounds):
        store = f"sqlite:///{folder}/publish-{number}.db"
        async with Sobremesa.open(store, settings=_settings(), background=False) as app, lock.held():
            await create_accounts(app, *people)
            async with keeping(app.table.engine) as kept:
                started = perf_counter()
                await app.inboxes.publish_to_users(KEY, TENANT, INBOX, NOTICE, people)
                await app.jobs.run_pending(app.handlers)
                figure.ours.append(perf_counter() - started)
        figure.bound.append(await _alone(kept, f"sqlite:///{folder}/bound-{number}.db", lock))
        shown.done(figure.name)
    return figure


async def measure_reads(
    name: str,
    verb: Callable[[], Awaitable[object]],
    app: Sobremesa,
    plan: Plan,
    lock: Lock,
    shown: Steps,
    *,
    change: Callable[[], Awaitable[object]] | None = None,
) -> Figure:
    """Repeat the same call, each time after a change if there is one, which is not part of the time."""
    figure = Figure(name, "calls", plan.reads, [], [])
    if change is not None:
        await change()
    async with keeping(app.table.engine) as kept:
        await verb()
    for _ in range(plan.rounds):
        async with lock.held():
            spent = 0.0
            for _ in range(plan.reads):
                if change is not None:
                    await change()
                started = perf_counter()
                await verb()
                spent += perf_counter() - started
            figure.ours.append(spent)
            started = perf_counter()
            for _ in range(plan.reads):
                await kept.replay(app.table.engine)
            figure.bound.append(perf_counter() - started)
        shown.done(name)
    return figure


async def create_accounts(app: Sobremesa, *user_ids: UserId) -> None:
    """The accounts of recipients, without which a publish to them is refused."""
    await app.table.write_many(Put(User(user_id=user_id, username=user_id, tenant=TENANT)) for user_id in user_ids)


async def fill(app: Sobremesa) -> None:
    """An inbox with something to read, some of it read."""
    await create_accounts(app, READER.user_id)
    await app.inboxes.count(READER, TENANT, INBOX)
    inboxes = app.inboxes
    for number in range(MESSAGES):
        if number % 2:
            await inboxes.publish_to_everyone(KEY, TENANT, INBOX, NOTICE)
        else:
            await inboxes.publish_to_users(KEY, TENANT, INBOX, NOTICE, [READER.user_id])
        if number == MESSAGES // 2:
            await app.inboxes.mark_all_read(READER, TENANT, INBOX)
    await app.inboxes.count(READER, TENANT, INBOX)


async def _alone(kept: Kept, store: str, lock: Lock) -> float:
    engine = await open_engine(store, janitor=False)
    try:
        await engine.create_table()
        async with lock.held():
            started = perf_counter()
            await kept.replay(engine)
            return perf_counter() - started
    finally:
        await engine.close()


def _settings() -> Settings:
    return Settings(rate_limits="off")


def markdown(figures: list[Figure], plan: Plan) -> str:
    """The page."""
    text = f"# Inboxes beside their bound\n\n{METHOD}\n"
    text += "| | a second | the engine alone | of the bound |\n|---|---|---|---|\n"
    for name, unit, times, ours, bound in figures:
        share = median(alone / taken for taken, alone in zip(ours, bound, strict=True))
        text += f"| {name} | {times / median(ours):,.0f} {unit} | {times / median(bound):,.0f} {unit} | {share:.0%} |\n"
    return f"{text}\nMedians of {plan.rounds} rounds. Python {platform.python_version()}.\n"


def main() -> None:
    """Measure, show a table, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m bench.inboxes", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="some seconds, and no page")
    parser.add_argument("--out", type=Path, default=HERE, help=f"the folder for {PAGE}")
    parser.add_argument("--data", type=Path, help="a folder on the disk to measure (a temporary one)")
    parser.add_argument("--lock", type=Path, help="hold a lock on this file while time is measured")
    given = parser.parse_args()
    plan = QUICK if given.quick else FULL

    console = Console()
    with tempfile.TemporaryDirectory(prefix="sobremesa-bench-", dir=given.data) as folder:
        figures = uvloop.run(run(Path(folder), plan, Lock(given.lock), console))

    page = markdown(figures, plan)
    console.print(Markdown(page))
    if not given.quick:
        given.out.mkdir(parents=True, exist_ok=True)
        (given.out / PAGE).write_text(page)


if __name__ == "__main__":
    main()
