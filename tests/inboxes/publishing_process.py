"""A server that publishes, in a process of its own: `python -m inboxes.publishing_process FILE USERS AHEAD`.

It asks for the publishing, which by its host system id happens once, then does what there is to do. It prints how many
have the message, again and again, then `done`. Its clock is ahead by some seconds: the lease of a killed one is over.
"""

from __future__ import annotations

import asyncio
import sys

from communities.conftest import Ahead
from durability.child import report
from inboxes.shop import KEY, NEWS, SHOP, Shop
from sobremesa.app import Sobremesa
from sobremesa.core.settings import Settings
from sobremesa.domains.inboxes.message_ids import InboxMessageId

LOOK_EVERY_SECONDS = 0.005


async def main(file: str, users: int, ahead: float) -> None:
    clock = Ahead()
    clock.move(seconds=ahead)
    settings = Settings(rate_limits="off")
    async with Sobremesa.open(f"sqlite:///{file}", settings=settings, clock=clock, background=False) as app:
        uids = [f"user-{number:05}" for number in range(users)]
        shop = Shop(app, clock)
        published = await shop.publish_to(uids, category="offers", ttl="1w", host_system_id="the-one")
        watching = asyncio.create_task(watch(app, published.message_id))
        await app.jobs.run_pending(app.handlers)
        watching.cancel()
    report("done")


async def watch(app: Sobremesa, message_id: InboxMessageId) -> None:
    while True:
        report(str((await app.inboxes.get_publish(KEY, SHOP, NEWS, message_id)).delivered))
        await asyncio.sleep(LOOK_EVERY_SECONDS)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3])))
