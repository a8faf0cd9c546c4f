"""The API beside the bound of its own web stack, in one run: `python -m bench.web`.

- `bound`: the same server and framework, answering from memory
- `load`: a client that takes as little of the machine as it can
- `stage`: the servers, each a process of its own, filled with something to read
- `__main__`: the rounds and the page
"""
