"""Actor, clock, ids, errors, settings and leases: what every layer above uses."""
