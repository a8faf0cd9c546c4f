"""How a busy file grows, and what the change log costs the sends."""
