"""Actor, clock, ids, errors and settings: what every layer above uses."""
