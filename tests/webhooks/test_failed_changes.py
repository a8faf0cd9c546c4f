"""A change whose event cannot be created holds up nothing, is in the delivery log, and is sent after a repair."""

from __future__ import annotations

from typing import Any

from sobremesa.core.ids import RoomId
from sobremesa.table import RawKey
from sobremesa.table.engines.protocol import PutItem
from sobremesa.table.values import Item
from webhooks.product import AT, Product, eventually
from webhooks.receiver import Receiver

DAMAGED = RoomId("01J0000000000000000DAMAGED")
OTHER = "01J000000000000000000RES"


async def test_event_that_cannot_be_created_is_logged_as_failed_and_sent_by_a_replay_after_the_repair(
    product: Product, receiver: Receiver
) -> None:
    hook = await product.hook(receiver.url)
    other = await product.hook(f"{receiver.url}/other", ["inbox.*"])
    await product.send("before")
    message = await _row_of(product, f"CHANNEL#{product.rooms[0]}", "MSG#")
    pointer = await _row_of(product, f"CHANNEL#{product.rooms[0]}", "META")

    # The pointer of its channel is unreadable, so the audience of this message cannot be determined.
    await _put(product, pointer, channelId=DAMAGED, serverId={"not": "an id"})
    await _put(product, _copy(message), channelId=DAMAGED, content="of a damaged room")
    await product.send("after")
    await receiver.until_accepted("before", "after")

    for each in (hook, other):
        failed = await _failed(product, each)
        assert (failed["type"], failed["attempts"]) == ("unknown", []), "any webhook may have been meant"
        assert "BadRow" in failed["error"]
        assert "damaged room" not in failed["error"]
    # The other one is the change of the pointer, which names no tenant.
    assert "sobremesa_webhook_failed_changes_total 2.0" in await _metrics(product)

    await _replay(product, hook)
    await receiver.until_accepted("before", "after", "before", "after")
    assert (await _failed(product, hook))["type"] == "unknown", "it is kept until it can be created"

    await _put(product, pointer, channelId=DAMAGED)
    receiver.accepted.clear()
    for each in (other, hook):
        await _replay(product, each)
    await receiver.until(lambda: len(receiver.accepted) == 3)
    assert {each.content for each in receiver.accepted} == {"before", "after", "of a damaged room"}
    assert {each.path for each in receiver.accepted} == {"/"}
    await eventually(lambda: _has_states(product, hook, "delivered", "delivered", "delivered"))
    await eventually(lambda: _has_states(product, other))


async def test_message_whose_row_becomes_unreadable_is_not_deleted_and_one_that_was_created_so_comes_when_repaired(
    product: Product, receiver: Receiver
) -> None:
    hook = await product.hook(receiver.url, ["message.*"])
    await product.send("first")
    await receiver.until_accepted("first")
    message = await _row_of(product, f"CHANNEL#{product.rooms[0]}", "MSG#")
    await _put(product, message, content=["not", "a", "text"])
    await product.send("second")
    await receiver.until_accepted("first", "second")
    assert (await _failed(product, hook))["type"] == "unknown"

    await _put(product, _copy(message), content=5)
    await _put(product, _copy(message), content="repaired")
    await receiver.until_accepted("first", "second", "repaired")


async def _row_of(product: Product, pk: str, sk: str) -> Item:
    rows = [row async for row in product.app.table.scan(consistent=True)]
    return next(row for row in rows if row["pk"] == pk and row["sk"].startswith(sk))


def _copy(message: Item) -> Item:
    """Return the same message with another id."""
    return {**message, "messageId": OTHER, "sk": message["sk"].replace(message["messageId"], OTHER)}


async def _put(product: Product, row: Item, **fields: Any) -> None:
    """Write a row as another program would, with some fields replaced; `channelId` moves it to another channel."""
    row = {**row, **fields}
    row["pk"] = f"CHANNEL#{row['channelId']}"
    await product.app.table.engine.write(PutItem(RawKey(row["pk"], row["sk"]), row))


async def _failed(product: Product, hook: dict[str, Any]) -> dict[str, Any]:
    found: list[dict[str, Any]] = []

    async def is_there() -> bool:
        found[:] = [entry for entry in await product.deliveries(hook) if entry["state"] == "failed"]
        return bool(found)

    await eventually(is_there)
    [entry] = found
    return entry


async def _has_states(product: Product, hook: dict[str, Any], *states: str) -> bool:
    return [entry["state"] for entry in await product.deliveries(hook)] == list(states)


async def _replay(product: Product, hook: dict[str, Any]) -> None:
    await product.backend.post(f"{AT}/{hook['hookId']}/replay", {"since": "2020-01-01T00:00:00Z"}, expect=202)


async def _metrics(product: Product) -> str:
    async with product.served.http.get(f"http://127.0.0.1:{product.served.metrics_port}/metrics") as response:
        return await response.text()
