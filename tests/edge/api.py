"""A small API that has one of everything: what the edge does is tried on it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Annotated, Literal, NewType

import msgspec

from sobremesa.core.actor import Actor, KeyId, UserId
from sobremesa.core.errors import Busy, Clash, Forbidden, NotFound, Unauthenticated
from sobremesa.http.endpoints import (
    Answer,
    Content,
    Endpoint,
    IdempotencyKey,
    Input,
    Lines,
    Listed,
    Output,
    PageQuery,
    Routes,
    Upload,
)

TableId = NewType("TableId", str)

ANA = Actor.of_user(UserId("01ARZ3NDEKTSV4RRFFQ69G5FAV"), "ana")
KITCHEN = Actor(key_id=KeyId("kitchen"), scopes=frozenset({"kitchen:read"}))
MAX_PHOTO_BYTES = 1_000_000
TOKENS = {"ana-token": ANA, "kitchen-key": KITCHEN}


class Occupied(Clash):
    """The table is taken."""

    code = "table_occupied"
    default_detail = "The table is taken."


class Seat(Input):
    """A seat of a guest."""

    number: Annotated[int, msgspec.Meta(ge=1, le=12)]
    name: Annotated[str, msgspec.Meta(min_length=1, max_length=20)]


class NewTable(Input):
    """A table to be laid."""

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=40, description="As the waiters call it.")]
    seats: list[Seat] = []
    kind: Literal["round", "long"] = "round"
    email: str | None = None


class TableView(Output):
    """A table, as guests see it."""

    table_id: TableId
    name: str
    created_at: str
    kind: Literal["round", "long"] = "round"
    note: str | None = None


class Dish(Output, tag="dish"):
    """Something to eat."""

    name: str


class Drink(Output, tag="drink"):
    """Something to drink."""

    name: str
    litres: float


class Order(Output):
    """What was ordered."""

    items: list[Dish | Drink]
    prices: dict[str, int]


class Photo(Output):
    """A photo that was taken in."""

    content_type: str
    size: int
    pieces: int


class NewPhoto(Input):
    """A photo that is to come."""

    name: str


class Caller(Output):
    """Who calls."""

    address: str


class Wish(Input):
    """How the table should be, where it matters."""

    note: Annotated[str, msgspec.Meta(pattern="^[a-z ]*$", examples=["by the window"])] | None = None


class TablesQuery(PageQuery):
    """Which tables."""

    kind: Literal["round", "long"] | None = None
    free: bool = False


async def authenticate(token: str) -> Actor:
    try:
        return TOKENS[token]
    except KeyError:
        raise Unauthenticated from None


def view(table_id: str, name: str = "Sunday") -> TableView:
    return TableView(table_id=TableId(table_id), name=name, created_at="2026-11-16T09:30:00.000Z")


async def find_receipts() -> list[object]:
    raise NotFound


def endpoints() -> list[Endpoint]:
    api = Routes("Tables")

    @api.post("/tables", status=201, also_status=200, errors=[Occupied])
    async def create_table(
        actor: Actor, body: NewTable, idempotency_key: IdempotencyKey | None = None
    ) -> Answer[TableView]:
        """Lay a table.

        The same key again gives the table that is there.
        """
        if body.name == "taken":
            raise Occupied(until="2026-11-16T12:00:00.000Z")
        if body.name == "broken":
            raise RuntimeError("the leg of hunter2 is broken")
        return Answer(view("T1", body.name), status=200 if idempotency_key == "again" else 201)

    @api.get("/tables", cacheable=True)
    async def list_tables(query: TablesQuery) -> Listed[TableView]:
        """List the tables."""
        names = [query.kind or "any", str(query.free), str(query.limit), str(query.cursor)]
        return Listed(items=[view(f"T{index}", name) for index, name in enumerate(names)])

    @api.get("/tables/best")
    async def find_best_table(actor: Actor) -> TableView:
        """Find the table by the window."""
        return view("best")

    @api.get("/tables/{table_id}")
    async def get_table(actor: Actor, table_id: TableId) -> TableView:
        """Show one table."""
        if table_id == "nowhere":
            raise NotFound
        return view(table_id)

    @api.patch("/tables/{table_id}", errors=[Forbidden])
    async def change_table(actor: Actor, table_id: TableId, body: Wish) -> TableView:
        """Change a table."""
        return TableView(table_id=table_id, name="Sunday", created_at="2026-11-16T09:30:00.000Z", note=body.note)

    @api.delete("/tables/{table_id}")
    async def clear_table(actor: Actor, table_id: TableId) -> None:
        """Clear a table."""

    kitchen = Routes("Kitchen")

    @kitchen.get("/kitchen/orders", scope="kitchen:read")
    async def list_orders(actor: Actor) -> Order:
        """List what to cook."""
        return Order(items=[Dish(name="soup"), Drink(name="wine", litres=0.75)], prices={"soup": 4})

    @kitchen.get("/kitchen/receipts", limit="heavy")
    async def print_receipts(actor: Actor) -> Lines:
        """Print everything."""

        async def values() -> AsyncIterator[object]:
            yield {"receipt": 1}
            yield {"receipt": 2}

        return Lines(values())

    @kitchen.get("/kitchen/unlucky")
    async def print_half() -> Lines:
        """Print, and fail in the middle."""

        async def values() -> AsyncIterator[object]:
            yield {"receipt": 1}
            raise RuntimeError("no paper")

        return Lines(values())

    @kitchen.get("/kitchen/refused")
    async def print_nothing() -> Lines:
        """Refuse before the first line."""

        async def values() -> AsyncIterator[object]:
            for receipt in await find_receipts():
                yield receipt

        return Lines(values())

    @kitchen.get("/kitchen/slow")
    async def wait_long() -> TableView:
        """Take longer than any client waits."""
        await asyncio.sleep(60)
        return view("T1")

    @kitchen.get("/kitchen/caller")
    async def get_caller(address: str) -> Caller:
        """Return where the call comes from."""
        return Caller(address=address)

    @kitchen.get("/kitchen/busy")
    async def be_busy() -> TableView:
        """Have no time."""
        raise Busy

    @kitchen.put("/dishes/{name}/tastes/{taste}")
    async def taste_dish(name: str, taste: str) -> Dish:
        """Say how it tastes; both are any text."""
        return Dish(name=f"{name}:{taste}")

    add_photos(kitchen)
    return [*api.endpoints, *kitchen.endpoints]


def add_photos(kitchen: Routes) -> None:
    """Bytes in and out."""

    @kitchen.post("/kitchen/photos", status=201, max_upload=MAX_PHOTO_BYTES)
    async def take_photo(actor: Actor, upload: Upload | None = None, body: NewPhoto | None = None) -> Photo:
        """Take a photo, or describe one."""
        if upload is None:
            assert body is not None
            return Photo(content_type=f"json:{body.name}", size=0, pieces=0)
        pieces = [piece async for piece in upload.pieces]
        return Photo(content_type=upload.content_type, size=sum(map(len, pieces)), pieces=len(pieces))

    @kitchen.post("/kitchen/films", status=201, max_upload=MAX_PHOTO_BYTES)
    async def take_film(upload: Upload) -> Photo:
        """Take a film, however slowly it comes; JSON would be one, too."""
        size = 0
        async for piece in upload.pieces:
            size += len(piece)
        return Photo(content_type=upload.content_type, size=size, pieces=0)

    @kitchen.get("/kitchen/photos/{name}")
    async def show_photo(name: str, byte_range: str | None = None) -> Content:
        """Show a photo."""
        if name == "elsewhere":
            return Content.at("https://photos.example.com/1")

        async def pieces() -> AsyncGenerator[bytes, None]:
            yield (byte_range or "all").encode()
            yield b"!" * 3

        length = len(byte_range or "all") + 3
        headers = {"content-type": "image/png", "content-length": str(length), "cache-control": "private, max-age=300"}
        return Content(pieces(), headers, status=206 if byte_range else 200)
