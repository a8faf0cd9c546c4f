"""Deterministic simulation: nodes over a modelled table and Redis, in virtual time, with faults, all from one seed.

    PYTHONPATH=tests python -m simulation --seeds 1000     # or: make simulate SEEDS=1000
    PYTHONPATH=tests python -m simulation --seed 42        # replay one, and print its history

- `virtual_time`: the event loop whose clock jumps to the next timer
- `scenario`: the table, the nodes and the history of one run
- `broker`, `keyspace`, `network`: a model of Redis, and the connections to it
- `nodes`: nodes that crash, pause and start again
- `clients`: subscribers that disconnect and resume
- `workload`: what users do meanwhile
- `faults`: what goes wrong meanwhile
- `checks`: what must hold at the end
"""
