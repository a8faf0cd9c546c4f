"""A toolkit for single-table designs: typed entities, literal keys, named access patterns, on SQLite or DynamoDB.

    table = Table(await open_engine("sqlite:///chat.db"))
    await table.write(Create(Participant(convo_id=convo, user_id=user)))
    page = await table.query(participants_of(convo_id=convo), limit=20)

Where things are:

- `entities`, `keys`, `patterns`: the stored rows and the questions
- `conditions`, `updates`, `operations`: the parts of a write
- `table`, `reads`: writes and reads, on any engine; `calls` retries and splits batches; `opening` opens the engine
- `sync`: the table without `await`, for scripts and notebooks
- `lowering`, `evaluation`: fields to attributes, and the semantics of conditions; `versions` upgrades old rows
- `projections`: some fields of rows as a smaller struct
- `raw`: rows in their stored form, for migration, export and repair
- `prefetch`: reads of several readers in few requests
- `read_cache`: results of reads, kept until a row they depend on changes; `shards`: several partitions as one list
- `schema`: the declarations of a registry as data; `catalog`: the same as Markdown and as a diagram
- `annotations`, `capacity`, `cursor`, `pages`, `retries`, `values`, `layout`, `errors`: one noun each
- `engines`: the protocol, the embedded engine, DynamoDB, and injected faults
"""

from sobremesa.table.capacity import Capacity, Measured, Usage, measure
from sobremesa.table.conditions import (
    Condition,
    absent,
    absent_or_null,
    all_of,
    always,
    any_of,
    at_least,
    at_most,
    attribute,
    begins_with,
    between,
    contains,
    differs,
    equals,
    greater,
    has_kind,
    less,
    less_if_present,
    one_of,
    present,
    size,
)
from sobremesa.table.engines.protocol import (
    NEWEST,
    OLDEST,
    ChangeBatch,
    ChangeReader,
    IndexKey,
    Position,
    RawChange,
    RawKey,
    ShardBatch,
    ShardList,
    ShardReader,
    StreamShard,
)
from sobremesa.table.entities import Entity, Index, Key, Keys
from sobremesa.table.keys import hash_part, hex_part, unhex_part
from sobremesa.table.layout import KEYS_ONLY, IndexLayout, IndexName, Layout, Spelling, gsi1, gsi2
from sobremesa.table.ledger import valid_until
from sobremesa.table.opening import open_engine
from sobremesa.table.operations import Check, Create, Delete, Operation, Operations, Put, Update, Upsert
from sobremesa.table.pages import Counted, Page
from sobremesa.table.patterns import Lookup, Pattern, PatternGroup, Question, Registry, WritePattern
from sobremesa.table.read_cache import ReadCache
from sobremesa.table.retries import Retries
from sobremesa.table.shards import Shards
from sobremesa.table.shared_loads import SharedLoads
from sobremesa.table.shared_reads import SharedReads
from sobremesa.table.sync import SyncTable
from sobremesa.table.table import Table
from sobremesa.table.updates import (
    add,
    add_to_set,
    append,
    delete_from_set,
    remove,
    set_if_absent,
    set_to,
)
from sobremesa.table.windows import Window

__all__ = [
    "KEYS_ONLY",
    "NEWEST",
    "OLDEST",
    "Capacity",
    "ChangeBatch",
    "ChangeReader",
    "Check",
    "Condition",
    "Counted",
    "Create",
    "Delete",
    "Entity",
    "Index",
    "IndexKey",
    "IndexLayout",
    "IndexName",
    "Key",
    "Keys",
    "Layout",
    "Lookup",
    "Measured",
    "Operation",
    "Operations",
    "Page",
    "Pattern",
    "PatternGroup",
    "Position",
    "Put",
    "Question",
    "RawChange",
    "RawKey",
    "ReadCache",
    "Registry",
    "Retries",
    "ShardBatch",
    "ShardList",
    "ShardReader",
    "Shards",
    "SharedLoads",
    "SharedReads",
    "Spelling",
    "StreamShard",
    "SyncTable",
    "Table",
    "Update",
    "Upsert",
    "Usage",
    "Window",
    "WritePattern",
    "absent",
    "absent_or_null",
    "add",
    "add_to_set",
    "all_of",
    "always",
    "any_of",
    "append",
    "at_least",
    "at_most",
    "attribute",
    "begins_with",
    "between",
    "contains",
    "delete_from_set",
    "differs",
    "equals",
    "greater",
    "gsi1",
    "gsi2",
    "has_kind",
    "hash_part",
    "hex_part",
    "less",
    "less_if_present",
    "measure",
    "one_of",
    "open_engine",
    "present",
    "remove",
    "set_if_absent",
    "set_to",
    "size",
    "unhex_part",
    "valid_until",
]
