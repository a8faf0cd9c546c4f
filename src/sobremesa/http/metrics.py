"""Metrics for Prometheus: requests, latency and table usage.

A request costs two dictionary lookups; the metric families are built when Prometheus scrapes them. All counting happens
on the event loop, so no locks are needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple, TypeAlias

from prometheus_client import CollectorRegistry, GCCollector, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.registry import Collector

from sobremesa.table.call_stats import CallStats, Histogram
from sobremesa.table.capacity import Usage

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
OTHER_METHOD = "OTHER"


class Metrics(Collector):
    """Counts requests, and exports them with everything else in its registry."""

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        self.registry = registry if registry is not None else CollectorRegistry()
        self.in_flight = 0
        self._requests: dict[tuple[str, str, int], int] = {}
        self._latency: dict[str, Histogram] = {}
        self.registry.register(self)
        ProcessCollector(registry=self.registry)
        GCCollector(registry=self.registry)

    def record(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count one request."""
        key = (route, method if method in METHODS else OTHER_METHOD, status)
        self._requests[key] = self._requests.get(key, 0) + 1
        latency = self._latency.get(route)
        if latency is None:
            latency = self._latency[route] = Histogram(BUCKETS)
        latency.add(seconds)

    def watch_table(self, totals: Callable[[], Mapping[str, Usage]]) -> None:
        """Also export the usage of a table: its `meter.totals`."""
        self.registry.register(_TableUsage(totals))

    def watch_calls(self, stats: CallStats) -> None:
        """Also export the latency and the errors of the calls of a table, by operation."""
        self.registry.register(_CallUsage(stats))

    def watch_gateway(
        self, sockets: Callable[[], int], delivered: Callable[[], int], closes: Callable[[], Mapping[int, int]]
    ) -> None:
        """Also export the number of open sockets, of delivered events, and of sockets that the server closed."""
        self.registry.register(_GatewayUsage(sockets, delivered, closes))

    def watch_webhooks(self, read: Callable[[], WebhookMetrics]) -> None:
        """Also export the attempts of webhooks, and what waits in their queues."""
        self.registry.register(_WebhookUsage(read))

    def watch_change_stream(self, shards: Callable[[], int], lags: Callable[[], Iterable[ShardLag]]) -> None:
        """Also export how many shards this node reads, and how far each consumer is behind in them."""
        self.registry.register(_ChangeStreamUsage(shards, lags))

    def text(self) -> bytes:
        """Return all metrics in the format of Prometheus."""
        return generate_latest(self.registry)

    def describe(self) -> list[CounterMetricFamily]:
        """Return nothing, so that registering does not collect."""
        return []

    def collect(self) -> Iterator[CounterMetricFamily | GaugeMetricFamily | HistogramMetricFamily]:
        requests = CounterMetricFamily(
            "sobremesa_http_requests", "Completed requests.", labels=["route", "method", "status"]
        )
        for (route, method, status), count in self._requests.items():
            requests.add_metric([route, method, str(status)], count)
        yield requests
        latency = HistogramMetricFamily(
            "sobremesa_http_request_seconds", "Seconds until the response was sent.", labels=["route"]
        )
        for route, taken in self._latency.items():
            latency.add_metric([route], taken.cumulative(), taken.total)
        yield latency
        yield GaugeMetricFamily("sobremesa_http_in_flight", "Requests in progress.", self.in_flight)


ShardLag: TypeAlias = tuple[str, str, float]
"""A consumer, a shard, and how many seconds the consumer is behind in it."""


class WebhookMetrics(NamedTuple):
    """What is exported about webhooks: the work of this node."""

    attempts: Mapping[str, int]
    """How many there were, by their outcome."""
    pending: int
    lag_seconds: float
    """The age of the oldest event that waits."""
    queueing_lag_seconds: float
    """How old the last change was when its events were queued."""
    failed_changes: int
    """How many events could not be created."""


class _WebhookUsage(Collector):
    def __init__(self, read: Callable[[], WebhookMetrics]) -> None:
        self._read = read

    def describe(self) -> list[CounterMetricFamily]:
        return []

    def collect(self) -> Iterator[CounterMetricFamily | GaugeMetricFamily]:
        usage = self._read()
        attempts = CounterMetricFamily("sobremesa_webhook_attempts", "Attempts of webhooks.", labels=["outcome"])
        for outcome, count in usage.attempts.items():
            attempts.add_metric([outcome], count)
        yield attempts
        yield CounterMetricFamily(
            "sobremesa_webhook_failed_changes",
            "Events of webhooks that could not be created: a replay sends them after a repair.",
            usage.failed_changes,
        )
        yield GaugeMetricFamily(
            "sobremesa_webhook_pending", "Events in the queues that this node sends.", usage.pending
        )
        yield GaugeMetricFamily(
            "sobremesa_webhook_lag_seconds", "Age of the oldest event in these queues.", usage.lag_seconds
        )
        yield GaugeMetricFamily(
            "sobremesa_webhook_queueing_lag_seconds",
            "Age of the last change of the table when its events were queued.",
            usage.queueing_lag_seconds,
        )


class _ChangeStreamUsage(Collector):
    def __init__(self, shards: Callable[[], int], lags: Callable[[], Iterable[ShardLag]]) -> None:
        self._shards = shards
        self._lags = lags

    def describe(self) -> list[GaugeMetricFamily]:
        return []

    def collect(self) -> Iterator[GaugeMetricFamily]:
        yield GaugeMetricFamily(
            "sobremesa_stream_shards", "Shards of the change stream that this node reads.", self._shards()
        )
        lag = GaugeMetricFamily(
            "sobremesa_stream_lag_seconds",
            "Age of the oldest change that a consumer has not processed, in a shard that this node reads.",
            labels=["consumer", "shard"],
        )
        for consumer, shard, seconds in self._lags():
            lag.add_metric([consumer, shard], seconds)
        yield lag


class _GatewayUsage(Collector):
    def __init__(
        self, sockets: Callable[[], int], delivered: Callable[[], int], closes: Callable[[], Mapping[int, int]]
    ) -> None:
        self._sockets = sockets
        self._delivered = delivered
        self._closes = closes

    def describe(self) -> list[CounterMetricFamily]:
        return []

    def collect(self) -> Iterator[CounterMetricFamily | GaugeMetricFamily]:
        yield GaugeMetricFamily("sobremesa_gateway_sockets", "Open sockets.", self._sockets())
        events = CounterMetricFamily("sobremesa_gateway_events", "Delivered events, once for each subscriber.")
        events.add_metric([], self._delivered())
        yield events
        closes = CounterMetricFamily(
            "sobremesa_gateway_closes", "Sockets that the server closed, by the close code.", labels=["code"]
        )
        for code, count in self._closes().items():
            closes.add_metric([str(code)], count)
        yield closes


class _TableUsage(Collector):
    def __init__(self, totals: Callable[[], Mapping[str, Usage]]) -> None:
        self._totals = totals

    def describe(self) -> list[CounterMetricFamily]:
        return []

    def collect(self) -> Iterator[CounterMetricFamily]:
        calls = CounterMetricFamily("sobremesa_table_calls", "Table calls.", labels=["pattern"])
        reads = CounterMetricFamily("sobremesa_table_read_units", "Read units used.", labels=["pattern"])
        writes = CounterMetricFamily("sobremesa_table_write_units", "Write units used.", labels=["pattern"])
        for pattern, usage in self._totals().items():
            calls.add_metric([pattern], usage.calls)
            reads.add_metric([pattern], usage.capacity.read)
            writes.add_metric([pattern], usage.capacity.write)
        yield from (calls, reads, writes)


_CALL_COUNTERS = {
    "throttles": "Attempts that exceeded the throughput of the table.",
    "conflicts": "Attempts that another transaction of the same rows made fail.",
    "failures": "Attempts that the store failed to answer.",
    "retries": "Attempts after the first.",
    "refused_retries": "Retries that were not made because the retry budget was spent.",
}


class _CallUsage(Collector):
    def __init__(self, stats: CallStats) -> None:
        self._stats = stats

    def describe(self) -> list[CounterMetricFamily]:
        return []

    def collect(self) -> Iterator[CounterMetricFamily | HistogramMetricFamily]:
        operations = self._stats.by_operation
        latency = HistogramMetricFamily(
            "sobremesa_table_attempt_seconds", "Seconds of one attempt at a table call.", labels=["operation"]
        )
        for operation, stats in operations.items():
            if stats.latency.count:
                latency.add_metric([operation], stats.latency.cumulative(), stats.latency.total)
        yield latency
        for name, text in _CALL_COUNTERS.items():
            counter = CounterMetricFamily(f"sobremesa_table_{name}", text, labels=["operation"])
            for operation, stats in operations.items():
                counter.add_metric([operation], getattr(stats, name))
            yield counter
