"""Metrics for Prometheus: requests, latency, and what the table was asked for.

A request costs two dictionary look-ups; the families that Prometheus reads are built when it asks. All counting is
on the event loop, so nothing here takes a lock.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from itertools import accumulate

from prometheus_client import CollectorRegistry, GCCollector, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.registry import Collector

from sobremesa.table.capacity import Usage

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
OTHER_METHOD = "OTHER"

_LABELS = (*(str(bound) for bound in BUCKETS), "+Inf")


class _Latency:
    """How long the requests of one route took."""

    __slots__ = ("counts", "total")

    def __init__(self) -> None:
        self.counts = [0] * (len(BUCKETS) + 1)
        self.total = 0.0


class Metrics(Collector):
    """Counts requests, and shows them with everything else in its registry."""

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        self.registry = registry if registry is not None else CollectorRegistry()
        self.in_flight = 0
        self._requests: dict[tuple[str, str, int], int] = {}
        self._latency: dict[str, _Latency] = {}
        self.registry.register(self)
        ProcessCollector(registry=self.registry)
        GCCollector(registry=self.registry)

    def record(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count one request."""
        key = (route, method if method in METHODS else OTHER_METHOD, status)
        self._requests[key] = self._requests.get(key, 0) + 1
        latency = self._latency.get(route)
        if latency is None:
            latency = self._latency[route] = _Latency()
        latency.counts[bisect_left(BUCKETS, seconds)] += 1
        latency.total += seconds

    def watch_table(self, totals: Callable[[], Mapping[str, Usage]]) -> None:
        """Also show what was used of a table: its `meter.totals`."""
        self.registry.register(_TableUsage(totals))

    def watch_gateway(self, sockets: Callable[[], int], delivered: Callable[[], int]) -> None:
        """Also show how many sockets are open, and how many events they were told."""
        self.registry.register(_GatewayUsage(sockets, delivered))

    def text(self) -> bytes:
        """Everything, as Prometheus reads it."""
        return generate_latest(self.registry)

    def describe(self) -> list[CounterMetricFamily]:
        """Nothing, so that registering does not collect."""
        return []

    def collect(self) -> Iterator[CounterMetricFamily | GaugeMetricFamily | HistogramMetricFamily]:
        requests = CounterMetricFamily(
            "sobremesa_http_requests", "Requests answered.", labels=["route", "method", "status"]
        )
        for (route, method, status), count in self._requests.items():
            requests.add_metric([route, method, str(status)], count)
        yield requests
        latency = HistogramMetricFamily(
            "sobremesa_http_request_seconds", "Seconds until an answer was sent.", labels=["route"]
        )
        for route, taken in self._latency.items():
            latency.add_metric([route], list(zip(_LABELS, accumulate(taken.counts), strict=True)), taken.total)
        yield latency
        yield GaugeMetricFamily("sobremesa_http_in_flight", "Requests that wait for an answer.", self.in_flight)


class _GatewayUsage(Collector):
    def __init__(self, sockets: Callable[[], int], delivered: Callable[[], int]) -> None:
        self._sockets = sockets
        self._delivered = delivered

    def describe(self) -> list[CounterMetricFamily]:
        return []

    def collect(self) -> Iterator[CounterMetricFamily | GaugeMetricFamily]:
        yield GaugeMetricFamily("sobremesa_gateway_sockets", "Sockets that are open.", self._sockets())
        told = CounterMetricFamily("sobremesa_gateway_events", "Events that were told, once for each listener.")
        told.add_metric([], self._delivered())
        yield told


class _TableUsage(Collector):
    def __init__(self, totals: Callable[[], Mapping[str, Usage]]) -> None:
        self._totals = totals

    def describe(self) -> list[CounterMetricFamily]:
        return []

    def collect(self) -> Iterator[CounterMetricFamily]:
        calls = CounterMetricFamily("sobremesa_table_calls", "Calls of the table.", labels=["pattern"])
        reads = CounterMetricFamily("sobremesa_table_read_units", "Read units used.", labels=["pattern"])
        writes = CounterMetricFamily("sobremesa_table_write_units", "Write units used.", labels=["pattern"])
        for pattern, usage in self._totals().items():
            calls.add_metric([pattern], usage.calls)
            reads.add_metric([pattern], usage.capacity.read)
            writes.add_metric([pattern], usage.capacity.write)
        yield from (calls, reads, writes)
