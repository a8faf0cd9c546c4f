"""Inboxes beside the bound of the engine, in one run: `python -m bench.inboxes`.

The bound is the engine alone: the very requests that a verb made are kept, and made again straight at an engine.

- `replay`: keeps requests, and makes them again
- `__main__`: the rounds and the page
"""
