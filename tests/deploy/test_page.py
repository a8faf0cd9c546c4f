"""The commands of docs/deploy.md: they name templates, parameters and outputs that exist, and leave none out."""

from __future__ import annotations

import re

from deploy.templates import ROOT, template

PAGE = (ROOT / "docs/deploy.md").read_text().replace("\\\n", " ")
FIRST = PAGE.partition("```sh\n")[2].partition("```")[0]


def commands_of(text: str) -> list[tuple[str, set[str]]]:
    found = re.findall(r"(?:^|`)deploy ([a-z-]+)((?: +\w+=[^\s`]+)*)", text, re.MULTILINE)
    return [(name, set(re.findall(r"(\w+)=", given))) for name, given in found]


def test_commands_give_parameters_that_templates_have() -> None:
    assert len(commands_of(PAGE)) > 8
    for name, given in commands_of(PAGE):
        assert given <= set(template(name)["Parameters"]), name


def test_first_commands_give_every_parameter_without_a_default() -> None:
    deployed = commands_of(FIRST)
    assert [name for name, _ in deployed] == ["network", "table", "data", "service", "monitoring"]
    for name, given in deployed:
        needed = {key for key, each in template(name)["Parameters"].items() if "Default" not in each}
        assert needed <= given, name


def test_commands_read_outputs_that_templates_have() -> None:
    asked = re.findall(r"output ([a-z-]+) (\w+)", PAGE)
    assert len(asked) > 5
    for name, output in asked:
        assert output in template(name)["Outputs"]


def test_table_of_parameters_names_parameters() -> None:
    rows = re.findall(r"^\| `([a-z-]+)\.yaml` \| (.+) \|$", PAGE, re.MULTILINE)
    assert len(rows) == 6
    for name, text in rows:
        assert set(re.findall(r"`([A-Z]\w+)`", text)) <= set(template(name)["Parameters"]), name
