"""`sobremesa schema`: print the entities and access patterns of the application, or of another registry."""

from __future__ import annotations

import importlib
import os
import sys
from types import ModuleType
from typing import Annotated, Literal, TypeAlias

import cyclopts
import msgspec

from sobremesa.core.errors import SobremesaError
from sobremesa.table import Registry, catalog
from sobremesa.table.schema import Schema, describe

OWN = "sobremesa.app.registry:REGISTRY"

Format: TypeAlias = Literal["md", "json", "mermaid"]


class BadRegistry(SobremesaError):
    """`--registry` names nothing that declares entities."""


def schema(
    *,
    format: Annotated[Format, cyclopts.Parameter(help="Markdown tables, JSON, or a Mermaid flowchart.")] = "md",
    registry: Annotated[
        str,
        cyclopts.Parameter(
            help="MODULE:NAME of a Registry, or MODULE for the entities and patterns that a module declares."
        ),
    ] = OWN,
) -> None:
    """Print every entity with its literal keys, and every access pattern with its key condition and price.

    It needs no store. `--registry` prints the design of another application that uses `sobremesa.table`.
    """
    sys.stdout.write(_formatted(describe(_load(registry)), format))


def _formatted(described: Schema, format: Format) -> str:
    match format:
        case "md":
            return catalog.page(described)
        case "json":
            return msgspec.json.format(msgspec.json.encode(described), indent=2).decode() + "\n"
        case "mermaid":
            return catalog.mermaid(described)


def _load(name: str) -> Registry:
    """Import a registry; the current folder is searched first, as for `python -m`."""
    module_name, _, attribute = name.partition(":")
    sys.path.insert(0, os.getcwd())
    try:
        found: object = importlib.import_module(module_name)
        if attribute:
            found = getattr(found, attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise BadRegistry(f"--registry {name}: {error}") from None
    finally:
        del sys.path[0]
    if isinstance(found, ModuleType):
        found = Registry.of(found)
    if not isinstance(found, Registry):
        raise BadRegistry(f"--registry {name} is a {type(found).__name__}, not a Registry or a module")
    if not found.entities:
        raise BadRegistry(f"--registry {name} declares no entities")
    return found
