"""The command line."""

from sobremesa import __version__


def main() -> None:
    """Print the version."""
    print(f"sobremesa {__version__}")
