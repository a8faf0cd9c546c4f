"""Sobremesa: messaging that lives in one table."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sobremesa.app import Extension, Sobremesa
    from sobremesa.core.actor import Actor
    from sobremesa.core.settings import Settings
    from sobremesa.rooms.sending import Draft

__version__ = "0.1.0"
__all__ = ["Actor", "Draft", "Extension", "Settings", "Sobremesa", "__version__"]

# Loaded on first use, so that `import sobremesa.table` alone does not load the application.
_MODULES = {
    "Actor": "sobremesa.core.actor",
    "Draft": "sobremesa.rooms.sending",
    "Extension": "sobremesa.app",
    "Settings": "sobremesa.core.settings",
    "Sobremesa": "sobremesa.app",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'sobremesa' has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)
