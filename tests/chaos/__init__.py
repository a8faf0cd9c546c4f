"""A history checker: several nodes as processes, with real faults, all drawn from a seed.

    PYTHONPATH=tests python -m chaos --minutes 5 --seed 1      # or: make chaos MINUTES=5 SEED=1

- `cluster`: nodes over a sharded DynamoDB endpoint, and Valkey
- `endpoint`: the endpoint behind the shards, which can be killed
- `faults`: what goes wrong: kills, pauses, an empty Valkey, throttles, lost answers, cut sockets, split and slow shards
- `workload`: what users and the product do meanwhile
- `subscribers`: sockets that are cut and resume
- `observations`: what was answered and delivered, and when
- `checks`, `notices`: what must hold of it, beside the checks of `simulation`
- `cycle`: one run of all that

Unlike `simulation`, time is real: a seed repeats the faults and what users try, not the order in which things happen.
"""
