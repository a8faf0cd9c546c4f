"""Communities and their channels, through the library, on both engines."""
