"""Writes the generated pages of the docs: `make docs`. A test fails while one of them is stale."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

DOCS = Path(__file__).parent
sys.path[:0] = [str(DOCS), str(DOCS.parent / "tests")]

import library_reference  # noqa: E402
from sobremesa import __version__  # noqa: E402
from sobremesa.app import REGISTRY  # noqa: E402
from sobremesa.cli.tour_model import (  # noqa: E402
    Conversation,
    ConversationId,
    Message,
    MessageId,
    Participant,
    UserId,
    conversation_by_id,
    conversations_of,
    message_by_id,
    messages_of,
    participants_of,
    registry,
    send_message,
)
from sobremesa.core.clock import Instant  # noqa: E402
from sobremesa.core.settings import PREFIX, Settings  # noqa: E402
from sobremesa.costs import scenario  # noqa: E402
from sobremesa.domains.communities.permissions import DESCRIPTIONS, RIGHTS  # noqa: E402
from sobremesa.domains.threads.card_types import CardType, CardTypes, Transition  # noqa: E402
from sobremesa.domains.workspaces import rights as workspaces  # noqa: E402
from sobremesa.glue.event_catalog import EVENTS, FROM_ROWS  # noqa: E402
from sobremesa.http.schemas import described, require_all  # noqa: E402
from sobremesa.live import asyncapi  # noqa: E402
from sobremesa.live.events import EventTypes  # noqa: E402
from sobremesa.table import Create, Table, Update, Usage, add, catalog, open_engine, set_to  # noqa: E402
from sobremesa.table.prices import per_million  # noqa: E402
from sobremesa.table.schema import describe  # noqa: E402
from table import gaps  # noqa: E402

NOTE = "<!-- Written by docs/generate.py: change that, then run `make docs`. -->\n\n"
MESSAGES = 60
PEOPLE = 20
TIMED = {"COM.104"}
"""Patterns that run at intervals of real time, so that their calls depend on the speed of the machine."""


async def pages() -> Mapping[str, str]:
    """Every generated page, by its file name."""
    return {
        "data-model.md": _data_model_page(),
        "costs.md": await _costs_page(),
        "permissions.md": _permissions_page(),
        "cards.md": _cards_page(),
        "settings.md": _settings_page(),
        "events.md": _events_page(),
        "asyncapi.json": _asyncapi(),
        "example-patterns.md": await _patterns_page(),
        "endpoint-gaps.md": _gaps_page(),
        "library-reference.md": await _library_page(),
    }


async def _library_page() -> str:
    text = NOTE + "# Reference of the library\n\n"
    text += "Every noun of the application and its verbs, as the code declares them. [library.md](library.md)\n"
    text += "introduces them. A verb with an `actor` applies the rules of the product to that user or server key.\n"
    for noun, promise, verbs in await library_reference.sections():
        text += f"\n## {noun.capitalize() if noun == 'a room' else f'`{noun}`'}\n\n{promise}\n\n"
        text += "".join(f"- `{signature}`\\\n  {summary}\n" for signature, summary in verbs)
        if noun == "a room":
            text += "\n`app.communities` (its channels), `app.conversations` and `app.threads` have these verbs.\n"
    return text


def _data_model_page() -> str:
    text = NOTE + "# The data model\n\n"
    text += "Every entity and every access pattern of the table, as the code declares them.\n"
    text += "The guarantees across rows are described in [messages.md](messages.md) and [threads.md](threads.md).\n"
    text += "`sobremesa schema` prints the tables, also as JSON (`--format json`) and as a diagram\n"
    text += "(`--format mermaid`).\n\n"
    return text + catalog.page(describe(REGISTRY))


async def _costs_page() -> str:
    costs = await scenario.run()
    text = NOTE + "# Costs\n\n"
    text += "In DynamoDB's units: a read unit is 4 KB read consistently, a write unit 1 KB written, twice that in a\n"
    text += (
        "transaction, and again for each index. On demand a million write units cost about $0.625 and a million read\n"
    )
    text += "units about $0.125 (us-east-1, 2025).\n\n"
    text += (
        f"A server with {scenario.MEMBERS + 1} members, a channel with {scenario.MESSAGES} messages of about 500 B,\n"
    )
    text += f"and {scenario.THREADS} threads between two users. `sobremesa cost` prints the same, also for a month of\n"
    text += "yours: [explorer.md](explorer.md#costs-and-budgets).\n\n"
    text += "## By operation\n\n"
    text += catalog.markdown(
        [
            {
                "operation": cost.verb,
                "requests": f"{cost.calls:.3g}",
                "read units": f"{cost.used.read:.6g}",
                "write units": f"{cost.used.write:.6g}",
                "cost of a million": f"${per_million(cost.used):.2f}",
            }
            for cost in costs.verbs
        ]
    )
    known = {name: usage for name, usage in costs.patterns.items() if name in REGISTRY.patterns and name not in TIMED}
    text += "\n## By access pattern\n\nThe mean of the whole scenario.\n\n"
    return text + catalog.markdown(catalog.cost_rows(dict(sorted(known.items(), key=_natural))))


def _natural(entry: tuple[str, Usage]) -> tuple[str, int]:
    area, _, number = entry[0].partition(".")
    return area, int(number)


def _permissions_page() -> str:
    rows = [
        {"right": description, **{role: "yes" if right in rights else "" for role, rights in RIGHTS.items()}}
        for right, description in DESCRIPTIONS.items()
    ]
    text = NOTE + "# Permissions\n\n## In a server\n\n"
    text += "Members cannot act on members of the same or a higher role. The `ownerId` of the server determines its\n"
    text += "owner. A user who is not a member gets the same 404 as for a server that does not exist, and so does a\n"
    text += "member for a private channel that they do not see ([private-channels.md](private-channels.md)).\n\n"
    text += catalog.markdown(rows) + "\n## In a workspace\n\n"
    text += "Owners may assign any role to any member, and a workspace always has at least one owner.\n\n"
    return text + catalog.markdown(
        [
            {
                "right": description,
                **{role: "yes" if right in rights else "" for role, rights in workspaces.RIGHTS.items()},
            }
            for right, description in workspaces.DESCRIPTIONS.items()
        ]
    )


def _cards_page() -> str:
    text = NOTE + "# Card types\n\n"
    text += (
        "The built-in types, declared in `sobremesa.domains.threads.card_types`. An application adds its own with\n"
        "`Sobremesa.open(..., card_types=[...])`. [threads.md](threads.md) describes how cards work.\n\n"
    )
    text += (
        "*Other side* is the buyer's side for a card of the seller's side, and vice versa; *creator* is the user who\n"
        "created the card; *system* is a program of the operator. A state without transitions is final.\n"
    )
    for kind in CardTypes():
        creators = ", ".join(kind.creators)
        text += f"\n## {kind.name}\n\n{kind.description}. Creators: {creators}. First state: `{kind.first}`.\n\n"
        text += catalog.markdown(_payload_rows(kind)) + "\n"
        text += catalog.markdown([_transition_row(kind, transition) for transition in kind.transitions])
    return text


def _payload_rows(kind: CardType) -> list[dict[str, str]]:
    schema = msgspec.json.schema_components([kind.payload])[1][kind.payload.__name__]
    needed = schema.get("required", [])
    return [
        {"payload": f"`{name}`", "required": "yes" if name in needed else "", "value": _what(field)}
        for name, field in schema["properties"].items()
    ]


def _what(field: Mapping[str, Any]) -> str:
    """Describe a field of a payload."""
    kind = next((choice for choice in field.get("anyOf", []) if choice.get("type") != "null"), field)
    words = "an RFC 3339 time with a time zone" if kind.get("format") == "date-time" else _KINDS[kind["type"]]
    bounds = [
        f"{wording} {kind[name]}"
        for name, wording in (("exclusiveMinimum", "more than"), ("maximum", "at most"), ("maxItems", "at most"))
        if name in kind
    ]
    if "maxLength" in kind:
        bounds.append(f"at most {kind['maxLength']} characters")
    if "pattern" in kind:
        bounds.append(f"`{kind['pattern']}`")
    return ", ".join([words, *bounds, *([kind["description"]] if "description" in kind else [])])


_KINDS = {"integer": "an integer", "string": "text", "array": "a list"}


def _transition_row(kind: CardType, transition: Transition) -> dict[str, str]:
    how = "by a request"
    if transition.at_expiry:
        how = "automatically at `expiresAt`"
    elif transition.through is not None:
        how = f"by creating a {transition.through} that answers it"
    elif transition.renews:
        how = "by a request with a new payload"
    final = " (final)" if kind.is_finished(transition.to) else ""
    start, to, who = f"`{transition.start}`", f"`{transition.to}`{final}", ", ".join(transition.who)
    return {"from": start, "to": to, "who": who, "how": how}


SETTINGS_INTRODUCTION = """# Settings

Every setting has a default that works on a fresh machine. Set it by an environment variable, or in a TOML file that
`sobremesa serve --config` or `SOBREMESA_CONFIG` names. In the file, a setting has its name in lower case, without the
prefix:

```toml
store = "dynamodb://chat?region=eu-west-1"
port = 9000
cors_origins = ["https://shop.example"]

[[issuers]]
issuer = "https://accounts.example.com"
audience = "chat"
jwks_url = "https://accounts.example.com/.well-known/jwks.json"
```

An option of the command overrides a variable, and a variable overrides the file. In a variable, a list is JSON or
plain texts with commas between them, and a structure is JSON. The server does not start with a name that is no
setting, or with settings that cannot work together: Redis with a store in a file, or several nodes (Redis) whose
files or records are on one of them.

"""


def _settings_page() -> str:
    text = NOTE + SETTINGS_INTRODUCTION
    rows = [
        {
            "variable": f"`{PREFIX}{info.name.upper()}`",
            "default": f"`{_default(info.default)}`",
            "description": _description(info.type),
        }
        for info in msgspec.structs.fields(Settings)
    ]
    return text + catalog.markdown(rows)


def _default(default: object) -> str:
    """Return a default as it is written in the variable."""
    match default:
        case bool():
            return "true" if default else "false"
        case None:
            return "(none)"
        case str() | int() | float():
            return str(default)
        case _:
            return "(empty)"


def _description(kind: Any) -> str:
    return next(str(meta.description) for meta in kind.__metadata__ if meta.description)


def _events_page() -> str:
    text = NOTE + "# Events\n\n"
    text += (
        "All events of the gateway; [asyncapi.json](asyncapi.json) has the same for programs. An event has\n"
        'the form `{"op":0,"t":name,"s":cursor,"id":id,"d":{...}}` and may come twice: a client ignores an `id` that\n'
        "it has seen. Nothing in it is specific to a reader. A withheld message is published without its content, and\n"
        "complete to its author and to moderators.\n"
    )
    titles = [module.__name__.split(".")[-2] for module in FROM_ROWS]
    from_rows = [list(EventTypes.of(module)) for module in FROM_ROWS]
    others = [event for event in EVENTS if not any(event in group for group in from_rows)]
    kinds = list(dict.fromkeys(event.payload for event in EVENTS))
    _, components = described(kinds)
    for schema in components.values():
        require_all(schema)
    for title, events in zip([*titles, "the gateway"], [*from_rows, others], strict=True):
        if events:
            rows = [
                {"event": f"`{event.name}`", "when": event.summary, "to": event.to, "d": f"[{form}](#{form.lower()})"}
                for event in events
                for form in [event.payload.__name__]
            ]
            text += f"\n## {title.capitalize()}\n\n" + catalog.markdown(rows)
    text += "\n## Payloads\n"
    for name, schema in components.items():
        text += f"\n### {name}\n\n{schema.get('description', '')}\n\n"
        text += catalog.markdown(
            [
                {
                    "field": f"`{field}`",
                    "what": _form(kind) + ("" if field in schema["required"] else "; may be missing"),
                }
                for field, kind in schema["properties"].items()
            ]
        )
    return text


def _form(kind: Mapping[str, Any]) -> str:
    """A field of an event in a few words."""
    if "$ref" in kind:
        name = kind["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in kind:
        return " or ".join(map(_form, kind["anyOf"]))
    if "enum" in kind:
        return " or ".join(f"`{value}`" for value in kind["enum"])
    if kind.get("type") == "array":
        return f"a list: {_form(kind['items'])}" if kind.get("items") else "a list"
    if kind.get("type") == "object" and isinstance(kind.get("additionalProperties"), Mapping):
        return f"by name: {_form(kind['additionalProperties'])}" if kind["additionalProperties"] else "an object"
    return _FORMS[kind.get("type")]


_FORMS = {
    "integer": "an integer",
    "string": "text",
    "boolean": "true or false",
    "null": "null",
    "object": "an object",
    None: "any JSON",
}


def _asyncapi() -> str:
    document = asyncapi.document(EVENTS, title="Sobremesa", version=__version__, server_url=Settings().address)
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode() + "\n"


async def _patterns_page() -> str:
    text = NOTE + "# Access patterns of the example\n\n"
    text += "The tour's conversations, as `sobremesa.cli.tour_model` declares them.\n\n"
    text += catalog.page(describe(registry))
    text += "\n## What each costs\n\n"
    text += f"With {PEOPLE} participants, {MESSAGES} messages of about 300 bytes, and pages of 50.\n\n"
    return text + catalog.markdown(catalog.cost_rows(await _costs()))


async def _costs() -> Mapping[str, Usage]:
    """What every pattern uses on a conversation of ordinary size."""
    filling = Table(await open_engine("sqlite://", janitor=False))
    table = Table(filling.engine)
    convo, person = ConversationId("01JGSZSZ"), UserId("01JGSXXX")
    seats = [Participant(convo_id=convo, user_id=UserId(f"{person}{number}")) for number in range(PEOPLE - 1)]
    await filling.write(
        conversation=Create(Conversation(convo_id=convo, name="Lunch")),
        participant=Create(Participant(convo_id=convo, user_id=person)),
        seats=[Create(seat) for seat in seats],
    )
    for number in range(MESSAGES):
        await _send(table, convo, person, MessageId(f"01JGSTTT{number:018d}"))
    await table.get(conversation_by_id(convo_id=convo))
    await table.query(conversations_of(user_id=person))
    await table.query(participants_of(convo_id=convo))
    await table.query(messages_of(convo_id=convo))
    await table.get(message_by_id(convo_id=convo, message_id=MessageId(f"01JGSTTT{0:018d}")))
    await table.close()
    totals = table.meter.totals()
    return {name: totals[name] for name in registry.patterns}


async def _send(table: Table, convo: ConversationId, person: UserId, message_id: MessageId) -> None:
    body = "The coffee is ready, and there is cake. " * 2
    message = Message(
        convo_id=convo,
        message_id=message_id,
        sender_id=person,
        body=body,
        created_at=Instant("2026-11-16T14:00:00.000Z"),
    )
    await table.write(
        message=Create(message),
        conversation=Update(
            Conversation.key(convo_id=convo),
            set_to(last_message_id=message_id, last_message_body=body),
            add(messages=1),
        ),
        participant=Update(Participant.key(convo_id=convo, user_id=person), set_to(last_read_message_id=message_id)),
        pattern=send_message,
    )


def _gaps_page() -> str:
    text = NOTE + "# Differences of the test endpoints from DynamoDB\n\n"
    text += "The contract suite asserts what each of them does instead; nothing is skipped.\n"
    for endpoint, named in _by_server().items():
        rows = [{"gap": name, "what it does": sentence} for name, sentence in named.items()]
        text += f"\n## {endpoint}\n\n" + catalog.markdown(rows)
    return text


def _by_server() -> Mapping[str, Mapping[str, str]]:
    """The gaps of each server; the same server on a file and in memory has the same."""
    return {store.partition("-")[0]: named for store, named in gaps.GAPS.items() if named}


def main() -> None:
    for name, text in asyncio.run(pages()).items():
        (DOCS / name).write_text(text)
        print(f"docs/{name}")


if __name__ == "__main__":
    main()
