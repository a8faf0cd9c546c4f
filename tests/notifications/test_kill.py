"""No user receives two digests of one window, although the processes that send them are killed."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import AsyncExitStack, ExitStack

import pytest

from durability.child import lines_until, started
from mail.smtp_servers import MailSink, smtp_server
from notifications.environment import MINUTE, NOW_MS, DigestEnvironment, mail_settings, recipients
from sobremesa.app import Sobremesa
from sobremesa.core.clock import SetClock
from sobremesa.domains.notifications.sweeping import AT_ONCE

USERS = 120
"""So many that each round has enough, however many mails the killed processes had claimed."""
KILLED_AT = (5, 20, 35)
PROCESSES = 2


@pytest.mark.timeout(300)
async def test_nobody_receives_two_digests_although_processes_are_killed(store: str) -> None:
    mail_sink, clock = MailSink(), SetClock(NOW_MS)
    async with AsyncExitStack() as closing:
        port = await closing.enter_async_context(smtp_server(mail_sink))
        async with Sobremesa.open(store, settings=mail_settings(port), clock=clock, background=False) as app:
            env = DigestEnvironment(app, clock, mail_sink, lambda: asyncio.sleep(0, app))
            ben = await env.user("ben")
            for number in range(USERS):
                who = await env.user(f"user{number}")
                await env.send(ben, await env.direct(who, ben), "Are you coming?")
            await app.change_consumer.catch_up()

        ahead = 31.0 * MINUTE
        for enough in KILLED_AT:
            with ExitStack() as running:
                started_now = [
                    running.enter_context(started("notifications.sweeping_process", store, str(port), str(ahead)))
                    for _ in range(PROCESSES)
                ]
                while len(mail_sink.received) < enough:
                    mail_sink.arrived.clear()
                    await mail_sink.arrived.wait()
                for process in started_now:
                    process.kill()
            ahead += 2 * MINUTE
        with started("notifications.sweeping_process", store, str(port), str(ahead)) as process:
            await asyncio.to_thread(lambda: list(lines_until(process, "done")))

    sent = Counter(recipients(mail_sink.received))
    assert set(sent.values()) == {1}
    # A process that is killed after its claim sends no mail for it: at most those that it was sending.
    assert USERS - len(sent) <= len(KILLED_AT) * PROCESSES * AT_ONCE
    assert len(sent) > KILLED_AT[-1]
