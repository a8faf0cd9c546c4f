"""Refusals of schemas of custom data."""

from __future__ import annotations

from sobremesa.core.errors import Invalid


class BadDataSchema(Invalid):
    code = "bad_schema"
    default_detail = "The JSON schema is not valid."
