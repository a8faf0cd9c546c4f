"""The types of values that the annotation of a field allows."""

from __future__ import annotations

import types
import typing
from typing import Any


def scalar_types(annotation: Any) -> tuple[Any, ...]:
    """Return the types in an annotation, without None: (int,) for `Count | None` of `NewType("Count", int)`."""
    annotation = getattr(annotation, "__supertype__", annotation)
    origin = typing.get_origin(annotation)
    if origin is typing.Annotated:
        return scalar_types(typing.get_args(annotation)[0])
    if origin is typing.Literal:
        return tuple({type(value): None for value in typing.get_args(annotation)})
    if origin in (typing.Union, types.UnionType):
        found = [each for part in typing.get_args(annotation) for each in scalar_types(part)]
        return tuple(dict.fromkeys(each for each in found if each is not type(None)))
    if isinstance(annotation, type) and issubclass(annotation, str):
        return (str,)
    return (annotation,)


def may_be_none(annotation: Any) -> bool:
    """Return whether None is a value of this annotation."""
    if typing.get_origin(annotation) is typing.Annotated:
        return may_be_none(typing.get_args(annotation)[0])
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        return type(None) in typing.get_args(annotation)
    return annotation is None or annotation is type(None)
