"""The routes of records, over real HTTP."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from time import process_time
from typing import Any

import aiohttp
import pytest
from openapi_spec_validator import validate

from edge.running import always_ready, running
from edge.test_openapi import check_examples
from records.environment import ADMIN, BUYER, OTHER_SELLER, SELLER, STRANGER, THREAD, Roles, TablePanels
from sobremesa.core.actor import Actor
from sobremesa.core.clock import SystemClock
from sobremesa.core.errors import Unauthenticated
from sobremesa.core.ids import Ids
from sobremesa.domains.records import api
from sobremesa.domains.records.address import RecordsAddress, parse_records
from sobremesa.domains.records.opening import RecordsStore
from sobremesa.http.dispatch import Dispatch
from sobremesa.http.limits import NoLimits
from sobremesa.http.metrics import Metrics
from sobremesa.http.site import Site
from sobremesa.table import Table

USERS = {actor.username: actor for actor in (BUYER, SELLER, OTHER_SELLER, ADMIN, STRANGER)}
DRAFT = {"title": "Terms", "kind": "contract", "body": "So be it."}
TRAIN = {"title": "Train", "amount": 12_50, "currency": "EUR", "category": "travel", "incurredOn": "2026-11-16"}
DOCUMENTS = f"/v1/threads/{THREAD}/documents"
EXPENSES = f"/v1/threads/{THREAD}/expenses"
EVERY_ROUTE: list[tuple[str, str, Any]] = [
    ("POST", "/documents", DRAFT),
    ("GET", "/documents", None),
    ("GET", "/documents/{document}", None),
    ("POST", "/documents/{document}/versions", {"body": "Mine.", "version": 1}),
    ("POST", "/documents/{document}/signatures", {"version": 1}),
    ("DELETE", "/documents/{document}", None),
    ("GET", "/amendments", None),
    ("POST", "/expenses", TRAIN),
    ("GET", "/expenses", None),
    ("POST", "/expenses/{expense}/decision", {"decision": "approve", "version": 1}),
    ("DELETE", "/expenses/{expense}", None),
]
BROKEN_RULES: list[tuple[str, Any]] = [
    (DOCUMENTS, DRAFT | {"title": " "}),
    (DOCUMENTS, DRAFT | {"title": "a\0b"}),
    (DOCUMENTS, DRAFT | {"kind": "poem"}),
    (DOCUMENTS, DRAFT | {"fileId": "01JFILE"}),
    (DOCUMENTS, {"title": "Terms", "kind": "contract"}),
    (DOCUMENTS, DRAFT | {"body": "x" * 100_001}),
    (EXPENSES, TRAIN | {"amount": 12.5}),
    (EXPENSES, TRAIN | {"amount": "1250"}),
    (EXPENSES, TRAIN | {"amount": 0}),
    (EXPENSES, TRAIN | {"amount": 10**30}),
    (EXPENSES, TRAIN | {"currency": "EUR\n"}),
    (EXPENSES, TRAIN | {"incurredOn": "2026-02-30"}),
]


async def authenticate(token: str) -> Actor:
    try:
        return USERS[token]
    except KeyError:
        raise Unauthenticated from None


class Caller:
    """A client that sends requests as different users."""

    def __init__(self, session: aiohttp.ClientSession, store: RecordsStore) -> None:
        self.session = session
        self.store = store

    async def __call__(self, who: str, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        async with self.session.request(
            method, path, json=body, headers={"Authorization": f"Bearer {who}", **named}
        ) as response:
            return response.status, await response.json(content_type=None) if await response.read() else None


@asynccontextmanager
async def served(address: RecordsAddress, table: Table) -> AsyncIterator[Caller]:
    clock = SystemClock()
    store = RecordsStore(address, clock, Ids(clock), parties=Roles(), panels=TablePanels(table))
    dispatch = Dispatch(
        api.routes(store).endpoints, authenticate, NoLimits(), max_body_bytes=65_536, request_seconds=20
    )
    site = Site(dispatch, version="1.0.0", public_url="http://127.0.0.1:8080", ready=always_ready, metrics=Metrics())
    try:
        async with running(site) as session:
            yield Caller(session, store)
    finally:
        await store.close()


@pytest.fixture
async def call(address: RecordsAddress, table: Table) -> AsyncIterator[Caller]:
    async with served(address, table) as caller:
        yield caller


async def test_a_document_from_draft_to_signature(call: Caller) -> None:
    status, created = await call("sol", "POST", DOCUMENTS, DRAFT)
    assert (status, created["state"], created["currentVersion"], created["createdBy"]) == (201, "draft", 1, "seller-1")
    document = f"{DOCUMENTS}/{created['documentId']}"

    status, changed = await call("bea", "POST", f"{document}/versions", {"body": "So be it!", "version": 1})
    assert (status, changed["currentVersion"], changed["body"]) == (201, 2, "So be it!")
    status, stale = await call("sol", "POST", f"{document}/versions", {"body": "Or so.", "version": 1})
    assert (status, stale["code"], stale["current"]["currentVersion"]) == (409, "stale_version", 2)

    status, once = await call("bea", "POST", f"{document}/signatures", {"version": 2})
    _, signed = await call("sol", "POST", f"{document}/signatures", {"version": 2})
    assert (status, once["state"], signed["state"]) == (201, "draft", "signed")
    assert (await call("sol", "POST", f"{document}/signatures", {"version": 2}))[1]["code"] == "already_signed"
    assert (await call("ada", "POST", f"{document}/signatures", {"version": 2}))[0] == 403

    status, old = await call("bea", "GET", f"{document}?version=1")
    assert (status, old["body"], old["shownVersion"]) == (200, "So be it.", 1)
    assert [len(version["signatures"]) for version in old["versions"]] == [0, 2]
    assert (await call("bea", "GET", f"{document}?version=9"))[0] == 404

    assert (await call("sol", "DELETE", document))[0] == 403
    assert await call("ada", "DELETE", document) == (204, None)
    assert (await call("ada", "DELETE", document))[1]["code"] == "document_void"


async def test_an_expense_from_submission_to_decision(call: Caller) -> None:
    status, created = await call("sol", "POST", EXPENSES, TRAIN)
    assert (status, created["amount"], created["incurredOn"], created["version"]) == (201, 1250, "2026-11-16", 1)
    decision = f"{EXPENSES}/{created['expenseId']}/decision"

    status, own = await call("sam", "POST", decision, {"decision": "approve", "version": 1})
    assert (status, own["code"]) == (403, "own_expense")
    status, approved = await call("bea", "POST", decision, {"decision": "approve", "version": 1})
    assert (status, approved["state"], approved["decidedBy"]) == (200, "approved", "buyer-1")
    status, late = await call("ada", "POST", decision, {"decision": "reject", "version": 1})
    assert (status, late["code"], late["current"]) == (409, "expense_decided", approved)

    status, page = await call("bea", "GET", EXPENSES)
    assert (status, page["items"], page["next"]) == (200, [approved], None)
    assert page["totals"] == [{"currency": "EUR", "state": "approved", "amount": 1250, "count": 1}]
    status, other = await call("sol", "POST", EXPENSES, TRAIN)
    assert (await call("bea", "DELETE", f"{EXPENSES}/{other['expenseId']}"))[0] == 403
    assert (await call("sol", "DELETE", f"{EXPENSES}/{other['expenseId']}"))[0] == 204


async def test_amendments_are_listed(call: Caller) -> None:
    records = call.store.records
    for number in range(3):
        await records.record_amendment(
            THREAD,
            card_message_id=f"01J{number}",
            summary="A day more",
            payload={"days": number},
            accepted_by="buyer-1",
            accepted_at=SystemClock().now(),
        )

    status, first = await call("bea", "GET", f"/v1/threads/{THREAD}/amendments?limit=2")
    _, second = await call("bea", "GET", f"/v1/threads/{THREAD}/amendments?limit=2&cursor={first['next']}")

    assert status == 200
    assert [one["payload"]["days"] for one in first["items"] + second["items"]] == [2, 1, 0]
    assert second["next"] is None


async def test_other_users_get_the_404_of_a_missing_record(call: Caller) -> None:
    _, document = await call("sol", "POST", DOCUMENTS, DRAFT)
    _, expense = await call("sol", "POST", EXPENSES, TRAIN)
    _, nothing = await call("bea", "GET", f"{DOCUMENTS}/01JNOTHING")

    for method, path, body in EVERY_ROUTE:
        there = path.format(document=document["documentId"], expense=expense["expenseId"])
        status, refused = await call("stan", method, f"/v1/threads/{THREAD}{there}", body)
        assert (status, refused) == (404, nothing), (method, path)
        assert (await call("anonymous", method, f"/v1/threads/{THREAD}{there}", body))[0] == 401, (method, path)


async def test_idempotency_key_creates_one_record_and_another_body_is_refused(call: Caller) -> None:
    for path, body in ((DOCUMENTS, DRAFT), (EXPENSES, TRAIN)):
        _, first = await call("sol", "POST", path, body, Idempotency_Key="once")
        status, again = await call("sol", "POST", path, body, Idempotency_Key="once")
        refused, problem = await call("sol", "POST", path, body | {"title": "Other"}, Idempotency_Key="once")

        assert (status, again) == (201, first)
        assert (refused, problem["code"]) == (409, "idempotency_key_reused")


async def test_input_that_breaks_a_rule_is_a_422(call: Caller) -> None:
    for path, body in BROKEN_RULES:
        status, problem = await call("sol", "POST", path, body)
        assert (status, problem["code"]) == (422, "invalid"), body


async def test_long_invalid_text_is_refused_in_linear_time(call: Caller) -> None:
    spent = process_time()

    for body in ("a" * 99_999 + "\0", " " * 100_000, " " * 50_000 + "a" * 49_999 + "\0"):
        status, problem = await call("sol", "POST", DOCUMENTS, DRAFT | {"body": body})
        assert (status, problem["code"]) == (422, "invalid")

    assert process_time() - spent < 2


async def test_a_cursor_of_another_list_is_refused(call: Caller) -> None:
    for _ in range(2):
        await call("sol", "POST", EXPENSES, TRAIN)
    _, page = await call("sol", "GET", f"{EXPENSES}?limit=1")

    status, problem = await call("sol", "GET", f"{DOCUMENTS}?cursor={page['next']}")

    assert (status, problem["code"]) == (422, "bad_cursor")


async def test_unavailable_records_are_a_503_without_details(table: Table) -> None:
    address = parse_records("postgresql://ana:hunter2@127.0.0.1:1/chat")
    async with served(address, table) as call:
        status, problem = await call("sol", "GET", DOCUMENTS)

    assert (status, problem["code"]) == (503, "busy")
    assert "127.0.0.1" not in problem["detail"]


async def test_long_document_is_accepted_above_the_usual_body_limit(call: Caller) -> None:
    status, created = await call("sol", "POST", DOCUMENTS, DRAFT | {"body": "ñ" * 100_000})

    assert (status, len(created["body"])) == (201, 100_000)


async def test_every_route_is_documented(call: Caller) -> None:
    async with call.session.get("/openapi.json") as response:
        document = await response.json()

    routes = {(method, path) for path, methods in document["paths"].items() for method in methods}
    assert len([route for route in routes if "/threads/" in route[1]]) == 11
    validate(document)
    assert check_examples(document) > 30
