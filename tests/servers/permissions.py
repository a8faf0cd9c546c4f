"""A DynamoDB endpoint that permits only what an IAM policy allows: it asks another endpoint, or denies as AWS does."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from fnmatch import fnmatchcase
from typing import Any

import aiohttp
from aiohttp import web

from servers import LOOPBACK, Endpoint

MAX_REQUEST_BYTES = 2**26
START_WITHIN_SECONDS = 10.0

_BATCHES = {"BatchGetItem", "BatchWriteItem"}
_IN_TRANSACTIONS = {
    "Get": "GetItem",
    "Put": "PutItem",
    "Update": "UpdateItem",
    "Delete": "DeleteItem",
    "ConditionCheck": "ConditionCheckItem",
}


class Guard:
    """Decides about requests by the statements of a policy, and records what they needed."""

    def __init__(self, policy: dict[str, Any], endpoint: Endpoint) -> None:
        self.url = ""
        self.used: set[tuple[str, str]] = set()
        """The actions that were permitted, with the kind of their resource."""
        self.denied: list[str] = []
        self._statements = policy["Statement"]
        self._endpoint = endpoint

    def allowed(self) -> set[tuple[str, str]]:
        """Every action of the policy, with the kind of its resource."""
        return {
            (action, kind_of(statement["Resource"])) for statement in self._statements for action in statement["Action"]
        }

    async def handle(self, request: web.Request) -> web.Response:
        """Forward a request whose actions are all allowed; deny any other."""
        _, _, action = request.headers["X-Amz-Target"].partition(".")
        body = await request.read()
        for needed, resource in needed_by(action, json.loads(body)):
            statement = next((each for each in self._statements if _allows(each, needed, resource)), None)
            if statement is None:
                self.denied.append(f"{needed} on {resource}")
                message = f"User is not authorized to perform: {needed} on resource: {resource}"
                error = {"__type": "com.amazon.coral.service#AccessDeniedException", "Message": message}
                return web.json_response(error, status=400)
            self.used.add((needed, kind_of(statement["Resource"])))
        headers = {name: request.headers[name] for name in ("X-Amz-Target", "Content-Type", "Authorization")}
        headers["X-Amz-Date"] = request.headers["X-Amz-Date"]
        session: aiohttp.ClientSession = request.app[_SESSION]
        async with session.post(self._endpoint.url, data=body, headers=headers) as answer:
            return web.Response(body=await answer.read(), status=answer.status)


_SESSION = web.AppKey("session", aiohttp.ClientSession)


def needed_by(action: str, body: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the actions that a request needs, with their resources, as the reference of IAM has them."""
    if "TransactItems" in body:
        for item in body["TransactItems"]:
            ((kind, operation),) = item.items()
            yield f"dynamodb:{_IN_TRANSACTIONS[kind]}", f"table/{operation['TableName']}"
    elif action in _BATCHES:
        for table in body["RequestItems"]:
            yield f"dynamodb:{action}", f"table/{table}"
    elif "TableName" in body:
        index = f"/index/{body['IndexName']}" if "IndexName" in body else ""
        yield f"dynamodb:{action}", f"table/{body['TableName']}{index}"
    elif "ShardIterator" in body:
        yield f"dynamodb:{action}", "table/*/stream/*"  # the iterator contains the stream
    else:
        yield f"dynamodb:{action}", body.get("StreamArn", "*").rpartition(":table/")[0] and "table/*/stream/*"


def kind_of(resource: str) -> str:
    """Whether a resource is a table, its indexes or its stream."""
    return next((kind for kind in ("index", "stream") if f"/{kind}/" in resource), "table")


def _allows(statement: dict[str, Any], action: str, resource: str) -> bool:
    pattern = statement["Resource"].rpartition(":")[2]
    if kind_of(resource) == "stream":
        return action in statement["Action"] and kind_of(pattern) == "stream"
    return action in statement["Action"] and fnmatchcase(resource, pattern)


@contextmanager
def guarded(policy: dict[str, Any], endpoint: Endpoint) -> Iterator[Guard]:
    """Run a guard in front of an endpoint, on a thread of its own: servers in other processes use it, too."""
    guard = Guard(policy, endpoint)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    runner = asyncio.run_coroutine_threadsafe(_start(guard), loop).result(START_WITHIN_SECONDS)
    try:
        yield guard
    finally:
        asyncio.run_coroutine_threadsafe(runner.cleanup(), loop).result(START_WITHIN_SECONDS)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(START_WITHIN_SECONDS)
        loop.close()


async def _start(guard: Guard) -> web.AppRunner:
    app = web.Application(client_max_size=MAX_REQUEST_BYTES)
    app.router.add_post("/", guard.handle)

    async def session(app: web.Application) -> Any:
        async with aiohttp.ClientSession() as session:
            app[_SESSION] = session
            yield

    app.cleanup_ctx.append(session)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    await web.TCPSite(runner, LOOPBACK, 0).start()
    guard.url = f"http://{LOOPBACK}:{runner.addresses[0][1]}"
    return runner
