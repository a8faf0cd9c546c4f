"""The command line interface, with one module for each group of commands."""

from sobremesa.cli.app import main

__all__ = ["main"]
