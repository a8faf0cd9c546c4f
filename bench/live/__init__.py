"""The gateway beside socket.io and beside the bound of its own web stack, in one run: `python -m bench.live`.

- `contenders`: our server, socket.io and the bound, each a process of its own
- `fan_out`: the bound: uvicorn without storage and authorization, which writes every frame to all clients
- `slow`: clients that read one byte a second, and what they cost the others and the server
- `page`: the results as Markdown, with what is wanted
- `__main__`: the rounds
- `topics`: by itself, what an event costs Redis and a node that does not need it
- `watching`: by itself, what a message costs in a server whose members hardly ever look at its channel
"""
