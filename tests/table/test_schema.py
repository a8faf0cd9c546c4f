"""The declarations of a registry as data: for any application, with the names of its table."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Literal

import msgspec
import pytest

from sobremesa.app.registry import REGISTRY
from sobremesa.cli import tour_model
from sobremesa.table import Entity, IndexName, Keys, Layout, Pattern, Registry, catalog
from sobremesa.table.errors import BadExpression
from sobremesa.table.layout import IndexLayout
from sobremesa.table.schema import describe, type_name


def test_pattern_has_its_key_condition_an_example_and_a_price() -> None:
    patterns = {pattern.id: pattern for pattern in describe(Registry.of(tour_model)).patterns}
    found = patterns["AP2"]
    assert found.key_condition == "gsi1pk = USER#{user_id}, gsi1sk begins with CONVO#"
    assert found.example == "gsi1pk = USER#user-1, gsi1sk begins with CONVO#"
    assert (found.index, found.parts, found.page_size) == ("gsi1", ["user_id"], 50)
    # 50 rows of 1 KB, read eventually consistently: half of 13 units.
    assert (found.price.read_units, found.price.dollars_per_million) == (6.5, 0.8125)
    # Three rows in a transaction, two units each, and the index of the participant.
    assert patterns["AP7"].price.write_units == 7


def test_names_of_another_table_are_used() -> None:
    layout = Layout(
        pk="PK", sk="SK", ttl="expires", indexes={IndexName("gsi1"): IndexLayout("GSI1", "GSI1PK", "GSI1SK")}
    )
    schema = describe(Registry.of(tour_model), layout)
    patterns = {pattern.id: pattern for pattern in schema.patterns}
    assert patterns["AP1"].key_condition == "PK = CONVO#{convo_id}, SK = #METADATA"
    assert (patterns["AP2"].index, patterns["AP2"].key_condition) == (
        "GSI1",
        "GSI1PK = USER#{user_id}, GSI1SK begins with CONVO#",
    )


def test_everything_of_the_application_is_described() -> None:
    schema = describe(REGISTRY)
    assert len(schema.entities) == len(REGISTRY.entities)
    assert [pattern.id for pattern in schema.patterns] == [*REGISTRY.patterns]
    assert all(entity.description for entity in schema.entities)
    assert all(pattern.price.dollars_per_million > 0 for pattern in schema.patterns if pattern.entities)


def test_padded_numbers_have_an_example() -> None:
    class Chunk(Entity):
        """A part of a list."""

        keys = Keys(pk="JOB#{job_id}", sk="CHUNK#{n:05}")

        job_id: str
        n: int

    pattern = Pattern("P1", "Which chunks are from here on?", Chunk, between=("CHUNK#{n:05}", "CHUNK$"))
    [described] = describe(Registry([Chunk], [pattern])).patterns
    assert described.example == "pk = JOB#job-1, sk from CHUNK#00000 to CHUNK$"


def test_redacted_fields_must_exist() -> None:
    with pytest.raises(BadExpression, match=r"Wrong\.redacted names passwort, which is not a field"):

        class Wrong(Entity):
            keys = Keys(pk="USER#{user_id}", sk="AUTH")
            redacted = ("passwort",)

            user_id: str
            password: str


def test_types_are_written_as_readers_know_them() -> None:
    assert type_name(Annotated[str, msgspec.Meta(max_length=3)]) == "str"
    assert type_name(str | None) == "str | None"
    assert type_name(Literal["a", "b"]) == "'a' | 'b'"
    assert type_name(dict[str, list[int]]) == "dict[str, list[int]]"
    assert type_name(tuple[int, ...]) == "tuple[int, ...]"


def test_diagram_escapes_what_mermaid_treats_as_syntax() -> None:
    diagram = catalog.mermaid(describe(Registry.of(tour_model)))
    assert 'subgraph p0["CONVO#35;#123;convo_id#125;"]' in diagram
    assert '-->|"CONVO#35;#123;convo_id#125;"| i0' in diagram


def schema_command(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).with_name("sobremesa")), "schema", *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=60, check=False)


def test_command_prints_the_design_of_another_application(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(
        '''from sobremesa.table import Entity, Keys, Lookup


class Order(Entity):
    """An order."""

    keys = Keys(pk="ORDER#{order_id}", sk="META")

    order_id: str


order_by_id = Lookup("O1", "What is this order?", Order)
'''
    )
    found = schema_command("--registry", "shop", "--format", "json", cwd=tmp_path)
    assert (found.returncode, found.stderr) == (0, "")
    schema = json.loads(found.stdout)
    assert schema.keys() == {"entities", "patterns"}
    assert [entity["name"] for entity in schema["entities"]] == ["Order"]
    assert [pattern["keyCondition"] for pattern in schema["patterns"]] == ["pk = ORDER#{order_id}, sk = META"]
    assert "ORDER#35;" in schema_command("--registry", "shop", "--format", "mermaid", cwd=tmp_path).stdout


@pytest.mark.parametrize("name", ["no_such_module", "os", "sobremesa.app.registry:MISSING", "json:loads"])
def test_command_names_what_is_no_registry(name: str) -> None:
    found = schema_command("--registry", name)
    assert found.returncode == 1
    assert found.stderr.startswith(f"sobremesa: --registry {name}")
    assert "Traceback" not in found.stderr
