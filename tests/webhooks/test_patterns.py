"""Every declared access pattern finds its rows and no others, and every declared write happens."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from pattern_tests import Asked, PatternTests, writes_of
from sobremesa.core.actor import Tenant
from sobremesa.core.clock import EPOCH
from sobremesa.domains.webhooks import entities as whk
from sobremesa.domains.webhooks.entities import EventOrder, HookId
from sobremesa.table import Entity, RawKey, Registry
from sobremesa.table.capacity import UNNAMED
from sobremesa.table.engines.protocol import PutItem
from webhooks.product import AT, Product, eventually
from webhooks.receiver import Receiver

REGISTRY = Registry.of(whk)
FAR = 4_102_444_800
T, RIVAL = Tenant("shop"), Tenant("shop2")
H = [HookId(f"h{number}") for number in range(3)]
O = [EventOrder(f"0{number}") for number in range(4)]  # noqa: E741


class Dataset(NamedTuple):
    """Rows of every kind in several partitions, so that a wrong query finds too much."""

    hooks: list[whk.Webhook]
    roster: list[whk.WebhookRoster]
    events: list[whk.WebhookEvent]
    failed: list[whk.FailedChange]
    queued: list[whk.QueuedEvent]
    logged: list[whk.Delivery]
    work: list[whk.WebhookWork]

    def rows(self) -> list[Entity]:
        return [row for rows in self for row in rows]


def create_dataset() -> Dataset:
    about = {"event_key": "k", "event_id": "e", "type": "message.created", "room_key": "r", "at_ms": 1, "ttl": FAR}
    return Dataset(
        hooks=[
            whk.Webhook(
                tenant=tenant, hook_id=hook_id, url="u", events=["*"], secret="s", created_at=EPOCH, updated_at=EPOCH
            )
            for tenant in (T, RIVAL)
            for hook_id in H[:2]
        ],
        roster=[whk.WebhookRoster(hooks=4, version="v")],
        events=[whk.WebhookEvent(event_key=key, event_id=key, body="{}", ttl=FAR) for key in ("k", "l")],
        failed=[
            whk.FailedChange(
                event_key=key,
                event_id=key,
                change_id="c",
                at_ms=1,
                pk_value="p",
                sk_value="s",
                images={"new": {"a": 1}},
                ttl=FAR,
            )
            for key in ("k", "l")
        ],
        queued=[
            whk.QueuedEvent(hook_id=hook_id, order=order, queued_ms=1, **about)  # type: ignore[arg-type]
            for hook_id in H[:2]
            for order in O
        ],
        logged=[
            whk.Delivery(hook_id=hook_id, order=order, state="delivered", **about)  # type: ignore[arg-type]
            for hook_id in H[:2]
            for order in O
        ],
        work=[whk.WebhookWork(hook_id=hook_id, tenant=T, version="v") for hook_id in H],
    )


READS: dict[str, Callable[[Dataset], Asked]] = {
    "WHK.1": lambda s: (whk.webhooks_of(tenant=T), s.hooks[:2]),
    "WHK.2": lambda s: (whk.webhook_by_id(tenant=RIVAL, hook_id=H[0]), [s.hooks[2]]),
    "WHK.3": lambda s: (whk.roster(), s.roster),
    "WHK.4": lambda s: (whk.event_by_key(event_key="l"), [s.events[1]]),
    "WHK.5": lambda s: (whk.queue_of(hook_id=H[1]), s.queued[4:]),
    "WHK.6": lambda s: (whk.deliveries_of(hook_id=H[0]), s.logged[3::-1]),
    "WHK.7": lambda s: (whk.deliveries_between(hook_id=H[0], order=O[1], last=O[2]), s.logged[1:3]),
    "WHK.8": lambda s: (whk.work_of_all(), s.work),
    "WHK.9": lambda s: (whk.work_of(hook_id=H[1]), [s.work[1]]),
    "WHK.22": lambda s: (whk.failed_change_by_key(event_key="k"), [s.failed[0]]),
}


class TestPatterns(PatternTests):
    registry = REGISTRY
    reads = READS

    def create_dataset(self) -> Dataset:
        return create_dataset()


async def test_every_declared_write_happens_in_one_story_and_none_goes_without_a_name(
    product: Product, receiver: Receiver
) -> None:
    async def is_sent() -> bool:
        return (await product.app.table.get(whk.work_of(hook_id=hook["hookId"]))) is None

    async def is_complete() -> bool:
        return writes_of(REGISTRY) <= set(totals())

    totals = product.app.table.meter.totals
    receiver.answer = lambda _: 500 if len(receiver.requests) == 1 else 200
    hook = await product.hook(receiver.url)
    await product.send("hello")
    bad = RawKey("CHANNEL#bad", "MSG#1#2")
    user_id = product.ana.user.user_id
    await product.app.table.engine.write(PutItem(bad, {"pk": bad.pk, "sk": bad.sk, "userId": user_id, "content": 5}))
    await receiver.until_accepted("hello")
    await product.backend.post(f"{AT}/{hook['hookId']}/rotate", expect=200)
    since = {"since": "2020-01-01T00:00:00Z"}
    await eventually(is_sent)
    await product.backend.post(f"{AT}/{hook['hookId']}/replay", since, expect=202)
    await receiver.until_accepted("hello", "hello")
    await eventually(is_sent)
    await product.backend.delete(f"{AT}/{hook['hookId']}")

    await eventually(is_complete)
    assert UNNAMED not in totals()
