"""Extensions: what an application adds to the server, loaded by `sobremesa serve` from Python modules.

    # shop.py
    from sobremesa import Extension

    extension = Extension(card_types=[RENTAL])

The setting `extensions` names it: `SOBREMESA_EXTENSIONS=shop:extension`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any, NamedTuple

from sobremesa.core.settings import BadSetting
from sobremesa.domains.accounts.mail import Mailer
from sobremesa.domains.threads.card_types import CardType
from sobremesa.rooms.judging import Judge


class Extension(NamedTuple):
    """What an application adds: the arguments of `Sobremesa.open` of the same names."""

    mailer: Mailer | None = None
    judge: Judge | None = None
    card_types: Sequence[CardType] = ()
    setting_types: Mapping[str, Any] = {}


def load_extensions(names: Iterable[str]) -> Extension:
    """Return the extensions with these names (`module:name`) as one; BadSetting if one cannot be loaded.

    Card types and setting types add up. Of a mailer and a judge there is at most one.
    """
    found = [_load(name) for name in names]
    return Extension(
        mailer=_only("mailer", [each.mailer for each in found if each.mailer is not None]),
        judge=_only("judge", [each.judge for each in found if each.judge is not None]),
        card_types=[card_type for each in found for card_type in each.card_types],
        setting_types={name: kind for each in found for name, kind in each.setting_types.items()},
    )


def _load(name: str) -> Extension:
    module, _, attribute = name.partition(":")
    if not module or not attribute:
        raise BadSetting(f"extensions: {name!r} must be module:name")
    try:
        extension = getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise BadSetting(f"extensions: {name} cannot be loaded: {error}") from error
    if not isinstance(extension, Extension):
        raise BadSetting(f"extensions: {name} is a {type(extension).__name__}, not a sobremesa.Extension")
    return extension


def _only(what: str, found: Sequence[Any]) -> Any:
    if len(found) > 1:
        raise BadSetting(f"extensions: {len(found)} of them have a {what}; one may")
    return found[0] if found else None
