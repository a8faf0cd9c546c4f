"""Several nodes, one node beside Centrifugo, and storms of reconnects: `python -m bench.nodes`.

- `processes`: the servers, and the CPU time that they use
- `clients`: the protocols, for clients that are cut off and come back
- `crowds`: what many clients do at once: receive broadcasts, and come back
- `cluster`: one to four nodes over one table and one Valkey
- `centrifugo`: fetches, builds and runs Centrifugo
- `beside`: one node of ours, and Centrifugo, with the same clients
- `unneeded`: what events cost a node that has no subscribers of their topics
- `users`: many users in a store
- `storm`: all users of the embedded engine come at once, and come back
- `page`: the results as Markdown
- `__main__`: the three runs, each with a page of its own
"""
