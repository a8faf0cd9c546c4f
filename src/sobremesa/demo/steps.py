"""The actions in a thread."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, Protocol

from sobremesa.demo.calendar import dated
from sobremesa.demo.world import World
from sobremesa.domains.records.views import Decision, DocumentKind
from sobremesa.domains.threads.entities import TabName


class Step(Protocol):
    """An action in a thread."""

    @property
    def when(self) -> str: ...

    async def do(self, world: World, room: str) -> None: ...


class Card(NamedTuple):
    """Create a card; `answers` names the card that it answers."""

    when: str
    who: str
    label: str
    type: str
    payload: dict[str, Any]
    answers: str | None = None

    async def do(self, world: World, room: str) -> None:
        payload = dated(self.payload, world.calendar)
        if self.answers is not None:
            payload["answers"] = world.cards[f"{room} {self.answers}"]
        room_id = world.places[room].room_id
        created = await world.app.threads.cards.create(world.people[self.who], room_id, type=self.type, payload=payload)
        world.cards[f"{room} {self.label}"] = created.message_id
        world.last.setdefault(room, []).append(created.message_id)


class Move(NamedTuple):
    """Change the state of a card."""

    when: str
    who: str
    label: str
    to: str
    payload: dict[str, Any] | None = None

    async def do(self, world: World, room: str) -> None:
        actor, room_id = world.people[self.who], world.places[room].room_id
        card = await world.app.threads.cards.get(actor, room_id, world.cards[f"{room} {self.label}"])
        await world.app.threads.cards.move(
            actor, room_id, card.message_id, to=self.to, version=card.version, payload=self.payload
        )


class Show(NamedTuple):
    """Write a tab."""

    when: str
    who: str
    tab: TabName
    content: dict[str, Any] | list[Any]
    version: int = 1

    async def do(self, world: World, room: str) -> None:
        content = _with_files(self.content, world)
        actor, room_id = world.people[self.who], world.places[room].room_id
        await world.app.threads.tabs.put(actor, room_id, self.tab, content, source_version=self.version)


class Document(NamedTuple):
    """Create a document, and sign it."""

    when: str
    who: str
    title: str
    kind: DocumentKind
    body: str
    signed_by: tuple[str, ...] = ()

    async def do(self, world: World, room: str) -> None:
        records, room_id = world.app.records, world.places[room].room_id
        created = await records.create_document(
            world.people[self.who], room_id, title=self.title, kind=self.kind, body=self.body
        )
        for name in self.signed_by:
            await records.sign(world.people[name], room_id, created.document_id, version=1)


class Expense(NamedTuple):
    """Add an expense, and decide on it."""

    when: str
    who: str
    title: str
    cents: int
    category: str
    decided: tuple[str, Decision] | None = None

    async def do(self, world: World, room: str) -> None:
        records, room_id = world.app.records, world.places[room].room_id
        spent = await records.add_expense(
            world.people[self.who],
            room_id,
            title=self.title,
            amount=self.cents,
            currency="EUR",
            category=self.category,
            incurred_on=world.calendar.day(self.when).date(),
        )
        if self.decided is not None:
            name, decision = self.decided
            await records.decide_expense(
                world.people[name], room_id, spent.expense_id, decision=decision, version=spent.version
            )


class Status(NamedTuple):
    """Archive a thread."""

    when: str
    who: str
    status: Literal["archived"]

    async def do(self, world: World, room: str) -> None:
        await world.app.threads.set_status(world.people[self.who], world.places[room].room_id, self.status)


class IdOf(str):
    """The id of a file that was sent before, inside a tab."""

    __slots__ = ()


class Sent(str):
    """A file that was sent before, as a tab keeps it."""

    __slots__ = ()


def _with_files(value: Any, world: World) -> Any:
    """Return the data with file names replaced by files."""
    match value:
        case IdOf() | Sent():
            file = world.files[value].result()
            if isinstance(value, IdOf):
                return file.file_id
            return {
                "fileId": file.file_id,
                "kind": file.kind,
                "name": file.name,
                "mime": file.mime,
                "size": file.size,
            }
        case dict():
            return {name: _with_files(each, world) for name, each in value.items()}
        case list():
            return [_with_files(each, world) for each in value]
        case _:
            return value
