"""Communities and their channels, through the library's door, on both engines."""
