"""The actions in a thread."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, Protocol

from sobremesa.demo.calendar import dated
from sobremesa.demo.seed_state import SeedState
from sobremesa.domains.records.views import Decision, DocumentKind
from sobremesa.domains.threads.entities import TabName


class Step(Protocol):
    """An action in a thread."""

    @property
    def when(self) -> str: ...

    async def run(self, state: SeedState, room: str) -> None: ...


class CreateCard(NamedTuple):
    """Create a card; `answers` names the card that it answers."""

    when: str
    user: str
    label: str
    type: str
    payload: dict[str, Any]
    answers: str | None = None

    async def run(self, state: SeedState, room: str) -> None:
        payload = dated(self.payload, state.calendar)
        if self.answers is not None:
            payload["answers"] = state.cards[f"{room} {self.answers}"]
        room_id = state.rooms[room].room_id
        created = await state.app.threads.cards.create(state.users[self.user], room_id, type=self.type, payload=payload)
        state.cards[f"{room} {self.label}"] = created.message_id
        state.last.setdefault(room, []).append(created.message_id)


class MoveCard(NamedTuple):
    """Change the state of a card."""

    when: str
    user: str
    label: str
    to: str
    payload: dict[str, Any] | None = None

    async def run(self, state: SeedState, room: str) -> None:
        actor, room_id = state.users[self.user], state.rooms[room].room_id
        card = await state.app.threads.cards.get(actor, room_id, state.cards[f"{room} {self.label}"])
        await state.app.threads.cards.move(
            actor, room_id, card.message_id, to=self.to, version=card.version, payload=self.payload
        )


class WriteTab(NamedTuple):
    """Write a tab."""

    when: str
    user: str
    tab: TabName
    content: dict[str, Any] | list[Any]
    version: int = 1

    async def run(self, state: SeedState, room: str) -> None:
        content = _with_files(self.content, state)
        actor, room_id = state.users[self.user], state.rooms[room].room_id
        await state.app.threads.tabs.put(actor, room_id, self.tab, content, source_version=self.version)


class CreateDocument(NamedTuple):
    """Create a document, and sign it."""

    when: str
    user: str
    title: str
    kind: DocumentKind
    body: str
    signed_by: tuple[str, ...] = ()

    async def run(self, state: SeedState, room: str) -> None:
        records, room_id = state.app.records, state.rooms[room].room_id
        created = await records.create_document(
            state.users[self.user], room_id, title=self.title, kind=self.kind, body=self.body
        )
        for name in self.signed_by:
            await records.sign(state.users[name], room_id, created.document_id, version=1)


class AddExpense(NamedTuple):
    """Add an expense, and decide on it."""

    when: str
    user: str
    title: str
    cents: int
    category: str
    decided: tuple[str, Decision] | None = None

    async def run(self, state: SeedState, room: str) -> None:
        records, room_id = state.app.records, state.rooms[room].room_id
        spent = await records.add_expense(
            state.users[self.user],
            room_id,
            title=self.title,
            amount=self.cents,
            currency="EUR",
            category=self.category,
            incurred_on=state.calendar.day(self.when).date(),
        )
        if self.decided is not None:
            name, decision = self.decided
            await records.decide_expense(
                state.users[name], room_id, spent.expense_id, decision=decision, version=spent.version
            )


class SetStatus(NamedTuple):
    """Archive a thread."""

    when: str
    user: str
    status: Literal["archived"]

    async def run(self, state: SeedState, room: str) -> None:
        await state.app.threads.set_status(state.users[self.user], state.rooms[room].room_id, self.status)


class FileIdOf(str):
    """The id of a file that was sent before, inside a tab."""

    __slots__ = ()


class SentFile(str):
    """A file that was sent before, as a tab keeps it."""

    __slots__ = ()


def _with_files(value: Any, state: SeedState) -> Any:
    """Return the data with file names replaced by files."""
    match value:
        case FileIdOf() | SentFile():
            file = state.files[value].result()
            if isinstance(value, FileIdOf):
                return file.file_id
            return {
                "fileId": file.file_id,
                "kind": file.kind,
                "name": file.name,
                "mime": file.mime,
                "size": file.size,
            }
        case dict():
            return {name: _with_files(each, state) for name, each in value.items()}
        case list():
            return [_with_files(each, state) for each in value]
        case _:
            return value
