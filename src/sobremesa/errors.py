"""The root of every error that Sobremesa raises on purpose.

An error says what happened in its message and carries what a caller may need in its fields.
The table's own tree stands in `sobremesa.table.errors`.
"""


class SobremesaError(Exception):
    """Something that a caller can understand and act upon."""
