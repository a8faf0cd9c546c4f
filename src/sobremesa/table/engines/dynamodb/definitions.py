"""The requests that create a table and its indexes, with the options of the store."""

from __future__ import annotations

from typing import Any

from sobremesa.table.engines.dynamodb.responses import TableDescription
from sobremesa.table.layout import KEYS_ONLY, IndexLayout, Layout
from sobremesa.table.service_options import DEFAULT_KMS_KEY, ServiceOptions

STREAM = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}


def table_definition(layout: Layout, options: ServiceOptions) -> dict[str, Any]:
    """Return the request of CreateTable: all keys are text, and changes carry both images."""
    shared = _throughput(options) | _warm_throughput(options)
    definition: dict[str, Any] = {
        "TableName": layout.table,
        "BillingMode": "PROVISIONED" if options.billing == "provisioned" else "PAY_PER_REQUEST",
        "AttributeDefinitions": _attributes(*layout.key_attributes()),
        "KeySchema": _key_schema(layout.pk, layout.sk),
        "StreamSpecification": STREAM,
        **shared,
    }
    if layout.indexes:
        definition["GlobalSecondaryIndexes"] = [_index(index) | shared for index in layout.indexes.values()]
    if options.deletion_protection:
        definition["DeletionProtectionEnabled"] = True
    if options.kms_key is not None:
        definition["SSESpecification"] = _encryption(options.kms_key)
    if options.tag_list:
        definition["Tags"] = [{"Key": name, "Value": value} for name, value in options.tag_list]
    return definition


def index_addition(layout: Layout, index: IndexLayout, table: TableDescription) -> dict[str, Any]:
    """Return the request of UpdateTable that adds an index, with the throughput of the table if it is provisioned."""
    creation = _index(index)
    given = table.provisioned_throughput
    if given is not None and given.read_capacity_units:
        creation["ProvisionedThroughput"] = {
            "ReadCapacityUnits": given.read_capacity_units,
            "WriteCapacityUnits": given.write_capacity_units,
        }
    return {
        "AttributeDefinitions": _attributes(layout.pk, layout.sk, index.pk, index.sk),
        "GlobalSecondaryIndexUpdates": [{"Create": creation}],
    }


def _throughput(options: ServiceOptions) -> dict[str, Any]:
    if options.reads is None or options.writes is None:
        return {}
    units = {"ReadCapacityUnits": options.reads.least, "WriteCapacityUnits": options.writes.least}
    return {"ProvisionedThroughput": units}


def _warm_throughput(options: ServiceOptions) -> dict[str, Any]:
    """Return the throughput that is available at once; without it a new table grows to its load only by and by."""
    if options.warm_reads is None:
        return {}
    units = {"ReadUnitsPerSecond": options.warm_reads, "WriteUnitsPerSecond": options.warm_writes}
    return {"WarmThroughput": units}


def _encryption(key: str) -> dict[str, Any]:
    encryption: dict[str, Any] = {"Enabled": True, "SSEType": "KMS"}
    # AWS refuses the name of its own key: that is the key of an encryption without one.
    return encryption if key == DEFAULT_KMS_KEY else encryption | {"KMSMasterKeyId": key}


def _index(index: IndexLayout) -> dict[str, Any]:
    return {
        "IndexName": index.name,
        "KeySchema": _key_schema(index.pk, index.sk),
        "Projection": _projection(index.projects),
    }


def _projection(attributes: tuple[str, ...] | None) -> dict[str, Any]:
    if attributes is None:
        return {"ProjectionType": "ALL"}
    if attributes == KEYS_ONLY:
        return {"ProjectionType": "KEYS_ONLY"}
    return {"ProjectionType": "INCLUDE", "NonKeyAttributes": list(attributes)}


def _attributes(*names: str) -> list[dict[str, str]]:
    return [{"AttributeName": name, "AttributeType": "S"} for name in sorted(set(names))]


def _key_schema(pk: str, sk: str) -> list[dict[str, str]]:
    return [{"AttributeName": pk, "KeyType": "HASH"}, {"AttributeName": sk, "KeyType": "RANGE"}]
