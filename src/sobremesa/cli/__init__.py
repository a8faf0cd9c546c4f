"""The command line: one file a group of commands."""

from sobremesa.cli.app import main

__all__ = ["main"]
