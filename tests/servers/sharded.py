"""A DynamoDB endpoint whose stream has several shards: a proxy in front of another endpoint, which has one.

Each change belongs to a shard by the hash of its partition key, as in DynamoDB. The test controls the shards: it splits
them while there are writes, delays them differently, expires iterators, and trims. The proxy runs in a thread of its
own, so that a test that waits for a process with a blocking call does not stop it.
"""

from __future__ import annotations

import asyncio
import json
import random
import threading
import time
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import aiohttp
from aiohttp import web

from servers import LOOPBACK, Endpoint

STREAMS = "DynamoDBStreams_20120810"
SHARDS_A_PAGE = 3
RECORDS_A_PAGE = 1000
START_SECONDS = 30.0
_HEADERS = {"content-type", "x-amz-target", "x-amz-date", "authorization", "x-amz-security-token"}


class Rejected(Exception):
    """The request is answered with an error of DynamoDB."""


@dataclass
class ProxyShard:
    """A shard that the proxy presents: the changes of a range of hashes."""

    id: str
    parent: str | None
    low: float
    high: float
    records: list[dict[str, Any]] = field(default_factory=list)
    arrived: list[float] = field(default_factory=list)
    trimmed: int = 0
    """How many of its records are no longer kept."""
    is_closed: bool = False
    is_end_read: bool = False
    delay: float = 0.0

    def visible(self) -> int:
        """Return how many records can be read by now."""
        until = time.monotonic() - self.delay
        count = len(self.arrived)
        while count and self.arrived[count - 1] > until:
            count -= 1
        return count

    def description(self) -> dict[str, Any]:
        range_: dict[str, str] = (
            {"StartingSequenceNumber": self.records[0]["dynamodb"]["SequenceNumber"]} if (self.records) else {}
        )
        if self.is_closed:
            range_["EndingSequenceNumber"] = self.records[-1]["dynamodb"]["SequenceNumber"] if self.records else "0"
        parent = {} if self.parent is None else {"ParentShardId": self.parent}
        return {"ShardId": self.id, "SequenceNumberRange": range_, **parent}


class ShardedStream:
    """The shards of one stream, and what was read of them."""

    def __init__(self, shards: int, seed: int) -> None:
        self._chance = random.Random(seed)
        self._seed = seed
        self._lock = threading.RLock()
        self._added = self._serial = 0
        self._valid_from = 0
        self.shards: dict[str, ProxyShard] = {}
        self.reads: defaultdict[str, list[float]] = defaultdict(list)
        """When each shard was read."""
        self.calls: Counter[str] = Counter()
        self.early_reads: list[str] = []
        """Shards that were read before the end of their parent."""
        self.repeats_pages = False
        for number in range(shards):
            self._add(None, number / shards, (number + 1) / shards)

    # What a test controls

    def leaves(self) -> list[str]:
        with self._lock:
            return [shard.id for shard in self.shards.values() if not shard.is_closed]

    def split(self, shard_id: str | None = None) -> list[str]:
        """Close a shard, by default any, and return its two children, which have all later changes."""
        with self._lock:
            shard = self.shards[shard_id or self._chance.choice(self.leaves())]
            shard.is_closed = True
            middle = (shard.low + shard.high) / 2
            return [self._add(shard.id, shard.low, middle), self._add(shard.id, middle, shard.high)]

    def delay(self, shard_id: str, seconds: float) -> None:
        """Show the records of a shard only so long after they came."""
        with self._lock:
            self.shards[shard_id].delay = seconds

    def expire_iterators(self) -> None:
        """Reject every iterator that was given out so far."""
        with self._lock:
            self._valid_from = self._serial

    def trim(self, shard_id: str, keep: int = 0) -> None:
        """Forget the records of a shard but the last few."""
        with self._lock:
            shard = self.shards[shard_id]
            shard.trimmed = max(shard.trimmed, len(shard.records) - keep)

    def forget(self, shard_id: str) -> None:
        """Stop listing a closed shard, as a day after its last change."""
        with self._lock:
            del self.shards[shard_id]

    def shard_of(self, pk: str) -> str:
        """Return the shard that has the next change of a partition."""
        with self._lock:
            hashed = zlib.crc32(f"{self._seed}:{pk}".encode()) / 2**32
            return next(s.id for s in self.shards.values() if not s.is_closed and s.low <= hashed < s.high)

    def most_reads_in(self, seconds: float, since: float = 0.0) -> int:
        """Return how often a single shard was read in any such time."""
        most = 0
        with self._lock:
            for times in self.reads.values():
                late = [at for at in times if at >= since]
                start = 0
                for end, at in enumerate(late):
                    while at - late[start] >= seconds:
                        start += 1
                    most = max(most, end - start + 1)
        return most

    def _add(self, parent: str | None, low: float, high: float) -> str:
        shard_id = f"shardId-{self._added:020d}-{self._chance.getrandbits(32):08x}"
        self._added += 1
        self.shards[shard_id] = ProxyShard(shard_id, parent, low, high)
        return shard_id

    # What the endpoint answers

    def receive(self, records: list[dict[str, Any]]) -> None:
        """Add new records to their shards."""
        with self._lock:
            now = time.monotonic()
            for record in records:
                keys = record["dynamodb"]["Keys"]
                shard = self.shards[self.shard_of(next(iter(keys[name] for name in keys if name.lower() == "pk"))["S"])]
                shard.records.append(record)
                shard.arrived.append(now)

    def answer(self, action: str, body: dict[str, Any]) -> dict[str, Any]:
        with self._lock:
            self.calls[action] += 1
            if action == "DescribeStream":
                return {"StreamDescription": self._describe(body)}
            if action == "GetShardIterator":
                return {"ShardIterator": self._iterator_of(body)}
            return self._records_of(body["ShardIterator"])

    def _describe(self, body: dict[str, Any]) -> dict[str, Any]:
        start = body.get("ExclusiveStartShardId", "")
        ids = sorted(id for id in self.shards if id > start)
        page = ids[:SHARDS_A_PAGE]
        if self.repeats_pages and start:
            # A page may begin with shards that the page before it had.
            page = sorted([start, *page])
        described: dict[str, Any] = {"StreamStatus": "ENABLED", "StreamArn": body["StreamArn"]}
        described["Shards"] = [self.shards[id].description() for id in page]
        return described | ({"LastEvaluatedShardId": page[-1]} if page and page[-1] != ids[-1:][0] else {})

    def _iterator_of(self, body: dict[str, Any]) -> str:
        shard = self.shards.get(body["ShardId"])
        if shard is None:
            raise Rejected("ResourceNotFoundException")
        match body["ShardIteratorType"]:
            case "TRIM_HORIZON":
                place = shard.trimmed
            case "LATEST":
                place = shard.visible()
            case _:
                after = int(body["SequenceNumber"])
                numbers = [int(record["dynamodb"]["SequenceNumber"]) for record in shard.records]
                place = next((at for at, number in enumerate(numbers) if number > after), len(numbers))
                if place < shard.trimmed or (shard.trimmed and after < numbers[shard.trimmed - 1]):
                    raise Rejected("TrimmedDataAccessException")
        return self._give(shard.id, place)

    def _records_of(self, iterator: str) -> dict[str, Any]:
        shard_id, place, serial = iterator.split("|")
        self.reads[shard_id].append(time.monotonic())
        shard = self.shards.get(shard_id)
        if shard is None:
            raise Rejected("ResourceNotFoundException")
        if int(serial) <= self._valid_from:
            raise Rejected("ExpiredIteratorException")
        if int(place) < shard.trimmed:
            raise Rejected("TrimmedDataAccessException")
        parent = self.shards.get(shard.parent or "")
        if parent is not None and not parent.is_end_read:
            self.early_reads.append(shard_id)
        end = min(shard.visible(), int(place) + RECORDS_A_PAGE)
        records = shard.records[int(place) : end]
        if shard.is_closed and end == len(shard.records):
            shard.is_end_read = True
            return {"Records": records}
        return {"Records": records, "NextShardIterator": self._give(shard_id, end)}

    def _give(self, shard_id: str, place: int) -> str:
        self._serial += 1
        return f"{shard_id}|{place}|{self._serial}"


@dataclass
class Disturbance:
    """What happens to requests, each with a chance or for a time."""

    throttled: float = 0.0
    """Rejected, as beyond the throughput of the table."""
    cut: float = 0.0
    """Their connection is cut before anything is done."""
    unanswered: float = 0.0
    """Done, but the connection is cut instead of an answer."""
    delay: float = 0.0
    """Up to how many seconds they take longer."""


class ShardingProxy:
    """An endpoint that presents every stream of another endpoint as several shards."""

    def __init__(self, endpoint: Endpoint, *, shards: int, seed: int) -> None:
        self._upstream = endpoint.url
        self._shards = shards
        self._seed = seed
        self._streams: dict[str, ShardedStream] = {}
        self._pulls: dict[str, dict[str, str | None]] = defaultdict(dict)
        """The iterator of each real shard."""
        self._pulling = asyncio.Lock()
        self._chance = random.Random(f"disturbance {seed}")
        self.disturbance = Disturbance()
        self.url = ""

    @property
    def stream(self) -> ShardedStream:
        """The stream of the only table that has been used."""
        [stream] = self._streams.values()
        return stream

    def _stream_of(self, arn: str) -> ShardedStream:
        if arn not in self._streams:
            self._streams[arn] = ShardedStream(self._shards, self._seed)
        return self._streams[arn]

    async def serve(self, ready: threading.Event, stop: asyncio.Event) -> None:
        async with aiohttp.ClientSession() as self._session:
            app = web.Application(client_max_size=64 * 1024 * 1024)
            app.router.add_post("/", self._disturbed)
            runner = web.AppRunner(app)
            await runner.setup()
            await web.TCPSite(runner, LOOPBACK, 0).start()
            self.url = f"http://{LOOPBACK}:{runner.addresses[0][1]}"
            ready.set()
            await stop.wait()
            await runner.cleanup()

    async def _disturbed(self, request: web.Request) -> web.StreamResponse:
        """Answer a request, unless it is disturbed, or the real endpoint does not answer."""
        now, chance = self.disturbance, self._chance.random
        if now.throttled > chance():
            return _rejected("ProvisionedThroughputExceededException")
        await asyncio.sleep(now.delay * chance())
        if now.cut > chance():
            return _cut(request)
        try:
            answer = await self._answer(request)
        except (aiohttp.ClientError, ConnectionResetError):
            return _cut(request)
        return _cut(request) if now.unanswered > chance() else answer

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        service, _, action = request.headers.get("x-amz-target", "").partition(".")
        raw = await request.read()
        if service != STREAMS or action not in ("DescribeStream", "GetShardIterator", "GetRecords"):
            headers = {name: value for name, value in request.headers.items() if name.lower() in _HEADERS}
            async with self._session.post(self._upstream, data=raw, headers=headers) as answer:
                kept = {name: answer.headers[name] for name in ("x-amz-crc32",) if name in answer.headers}
                body = await answer.read()
                return web.Response(status=answer.status, body=body, content_type=answer.content_type, headers=kept)
        body = json.loads(raw)
        arn, _, iterator = (
            body.get("ShardIterator", "").rpartition("@") if action == "GetRecords" else (body["StreamArn"], "", "")
        )
        stream = self._stream_of(arn)
        await self._pull(arn, stream, request)
        try:
            answered = stream.answer(action, body | {"ShardIterator": iterator})
        except Rejected as rejected:
            return _rejected(str(rejected))
        for name in ("ShardIterator", "NextShardIterator"):
            if name in answered:
                answered[name] = f"{arn}@{answered[name]}"
        return web.json_response(answered)

    async def _pull(self, arn: str, stream: ShardedStream, request: web.Request) -> None:
        """Read what is new in the real stream."""
        async with self._pulling:
            iterators = self._pulls[arn]
            if not iterators:
                described = await self._call("DescribeStream", {"StreamArn": arn}, request)
                for shard in described["StreamDescription"]["Shards"]:
                    asked = {"StreamArn": arn, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
                    iterators[shard["ShardId"]] = (await self._call("GetShardIterator", asked, request))[
                        "ShardIterator"
                    ]
            for shard_id in iterators:
                while (iterator := iterators[shard_id]) is not None:
                    page = await self._call("GetRecords", {"ShardIterator": iterator}, request)
                    stream.receive(page["Records"])
                    iterators[shard_id] = page.get("NextShardIterator")
                    if not page["Records"]:
                        break

    async def _call(self, action: str, body: dict[str, Any], request: web.Request) -> dict[str, Any]:
        headers = {name: value for name, value in request.headers.items() if name.lower() in _HEADERS}
        headers["x-amz-target"] = f"{STREAMS}.{action}"
        async with self._session.post(self._upstream, data=json.dumps(body), headers=headers) as answer:
            result: dict[str, Any] = json.loads(await answer.read())
            assert answer.status == 200, result
            return result


def _rejected(code: str) -> web.Response:
    return web.json_response({"__type": f"com.amazonaws.dynamodb.v20120810#{code}"}, status=400)


def _cut(request: web.Request) -> web.Response:
    """Cut the connection of a request, whose answer nobody receives."""
    if request.transport is not None:
        request.transport.abort()
    return web.Response()


@contextmanager
def start_sharded(endpoint: Endpoint, *, shards: int = 4, seed: int = 1) -> Iterator[ShardingProxy]:
    """Run a proxy that presents the streams of an endpoint as several shards, in a thread of its own."""
    proxy = ShardingProxy(endpoint, shards=shards, seed=seed)
    ready = threading.Event()
    running: dict[str, Any] = {}

    async def serve() -> None:
        running["loop"], running["stop"] = asyncio.get_running_loop(), asyncio.Event()
        await proxy.serve(ready, running["stop"])

    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    assert ready.wait(START_SECONDS)
    try:
        yield proxy
    finally:
        running["loop"].call_soon_threadsafe(running["stop"].set)
        thread.join(START_SECONDS)
