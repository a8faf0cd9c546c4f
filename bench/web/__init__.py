"""The API beside the bound of its own web stack, in one run: `python -m bench.web`.

- `same_stack`: our own stack without the product, answering from memory; `framework`: the framework without us
- `load`: a client that takes as little of the machine as it can
- `stage`: the servers, each a process of its own, filled with something to read
- `__main__`: the rounds and the page
"""
