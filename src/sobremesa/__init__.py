"""Sobremesa: messaging that lives in one table."""

__version__ = "0.1.0"
