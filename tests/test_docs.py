"""The docs are true: their examples run, and their generated pages are fresh."""

import ast
import importlib.util
import inspect
import re
from pathlib import Path
from types import CodeType, ModuleType

import pytest

from sobremesa.table import conditions, updates

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"


def load_generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docs_generate", DOCS / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def python_blocks(page: Path) -> list[CodeType]:
    """The examples of a page, at the lines where they stand, without files of recipes (`test_recipes.py`)."""
    text = page.read_text()
    blocks = []
    for found in re.finditer(r"(?<!\.py`:\n\n)^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        padding = "\n" * text.count("\n", 0, found.start(1))
        source = padding + found.group(1)
        blocks.append(compile(source, str(page), "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT))
    return blocks


@pytest.mark.parametrize("page", ["table.md", "from-boto3-pynamodb-electrodb.md"])
async def test_every_example_of_the_table_pages_runs_from_top_to_bottom(page: str) -> None:
    blocks = python_blocks(DOCS / page)
    assert len(blocks) >= 8
    env: dict[str, object] = {"__name__": "docs_table"}
    for block in blocks:
        outcome = eval(block, env)
        if inspect.iscoroutine(outcome):
            await outcome


async def test_the_example_of_communities_runs() -> None:
    [block] = python_blocks(DOCS / "communities.md")
    await eval(block, {"__name__": "docs_communities"})


def test_every_page_is_in_the_index() -> None:
    index = (DOCS / "README.md").read_text()
    for page in (*DOCS.glob("*.md"), DOCS / "decisions"):
        assert page.name == "README.md" or f"]({page.name})" in index, f"docs/README.md does not list {page.name}"


def test_every_condition_and_update_is_listed() -> None:
    page = (DOCS / "from-boto3-pynamodb-electrodb.md").read_text()
    for module in (conditions, updates):
        for name, value in vars(module).items():
            if inspect.isfunction(value) and value.__module__ == module.__name__ and not name.startswith("_"):
                assert f"`{name}" in page, f"{name} is not listed"


async def test_every_generated_page_is_fresh() -> None:
    for name, text in (await load_generator().pages()).items():
        assert (DOCS / name).read_text() == text, f"docs/{name} is stale: run `make docs`"


@pytest.mark.parametrize("page", sorted(ROOT.glob("*.md")) + sorted(DOCS.rglob("*.md")), ids=lambda page: page.name)
def test_every_link_to_a_file_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text()):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"
