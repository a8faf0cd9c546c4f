"""Autoscaling of a provisioned table and its indexes, by Application Auto Scaling."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import msgspec

from sobremesa.table.engines.dynamodb.client import Client
from sobremesa.table.engines.dynamodb.responses import NothingResponse, Response
from sobremesa.table.service_options import Range, ServiceOptions


class ScalableTarget(Response):
    """One dimension of a table or an index that is scaled."""

    resource_id: str
    scalable_dimension: str
    min_capacity: int
    max_capacity: int

    def __str__(self) -> str:
        name = self.resource_id.partition("/index/")[2] or "table"
        kind = "reads" if "Read" in self.scalable_dimension else "writes"
        return f"{name} {kind} {self.min_capacity}-{self.max_capacity}"


class TargetsResponse(Response):
    """DescribeScalableTargets."""

    scalable_targets: list[ScalableTarget] = []
    next_token: str | None = None


_nothing = msgspec.json.Decoder(NothingResponse)
_targets = msgspec.json.Decoder(TargetsResponse)

_NAMESPACE = {"ServiceNamespace": "dynamodb"}


class _Dimension(NamedTuple):
    resource: str
    name: str
    metric: str
    bounds: Range


class Autoscaling:
    """Scales one table and its indexes between the bounds of its options."""

    def __init__(self, client: Client, table: str, options: ServiceOptions) -> None:
        self._client = client
        self._table = table
        self._options = options

    async def register(self, indexes: Iterable[str]) -> list[str]:
        """Scale the table and these indexes, and return what was not scaled before; none without bounds."""
        wanted = list(self._dimensions(indexes))
        if not wanted:
            return []
        there = {(target.resource_id, target.scalable_dimension): target for target in await self.list_targets()}
        added = []
        for dimension in wanted:
            # Repeated where it exists already: a run that was interrupted may have left a target without a policy.
            await self._register(dimension)
            if (dimension.resource, dimension.name) not in there:
                added.append(f"autoscaling of {dimension.resource}, {dimension.metric.lower()}s")
        return added

    async def list_targets(self) -> list[ScalableTarget]:
        """Return what is scaled of this table and its indexes."""
        found: list[ScalableTarget] = []
        request: dict[str, Any] = dict(_NAMESPACE)
        while True:
            page = await self._client.call("DescribeScalableTargets", request, _targets)
            found += [each for each in page.scalable_targets if self._is_ours(each.resource_id)]
            if page.next_token is None:
                return found
            request["NextToken"] = page.next_token

    async def deregister(self) -> None:
        """Scale the table and its indexes no longer; AWS does not do that when it deletes a table."""
        for target in await self.list_targets():
            request = _NAMESPACE | {
                "ResourceId": target.resource_id,
                "ScalableDimension": target.scalable_dimension,
            }
            await self._client.call("DeregisterScalableTarget", request, _nothing, writes=())

    def _is_ours(self, resource: str) -> bool:
        return resource == f"table/{self._table}" or resource.startswith(f"table/{self._table}/")

    def _dimensions(self, indexes: Iterable[str]) -> Iterator[_Dimension]:
        resources = [(f"table/{self._table}", "table")]
        resources += [(f"table/{self._table}/index/{index}", "index") for index in indexes]
        for metric, bounds in (("Read", self._options.reads), ("Write", self._options.writes)):
            if bounds is None or bounds.least == bounds.most:
                continue
            for resource, kind in resources:
                yield _Dimension(resource, f"dynamodb:{kind}:{metric}CapacityUnits", metric, bounds)

    async def _register(self, dimension: _Dimension) -> None:
        target = _NAMESPACE | {"ResourceId": dimension.resource, "ScalableDimension": dimension.name}
        bounds = {"MinCapacity": dimension.bounds.least, "MaxCapacity": dimension.bounds.most}
        await self._client.call("RegisterScalableTarget", target | bounds, _nothing, writes=())
        policy = {
            "PolicyName": f"{dimension.resource}:{dimension.metric}CapacityUtilization",
            "PolicyType": "TargetTrackingScaling",
            "TargetTrackingScalingPolicyConfiguration": {
                "PredefinedMetricSpecification": {
                    "PredefinedMetricType": f"DynamoDB{dimension.metric}CapacityUtilization"
                },
                "TargetValue": float(self._options.utilization),
            },
        }
        await self._client.call("PutScalingPolicy", target | policy, _nothing, writes=())
