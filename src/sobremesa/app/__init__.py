"""The composition root: settings, then a store, then services, then routes.

    async with Sobremesa.open("sqlite:///chat.db") as app:
        ana = await app.accounts.register(email="ana@example.com", username="ana", password="...")
        server = await app.communities.create_server(ana.actor, name="The long table")

- `application`: `Sobremesa`, the library's entry point
- `extensions`: what an application adds to the server
- `store`: opens what a store holds: table, keys, files
- `services`: builds the services that need more than one line
- `site`: the routes, the gateway and the pages, as one ASGI application
- `maintenance`: migrations, adoption and recounts
- `registry`: every entity and access pattern
"""

from sobremesa.app.application import Sobremesa
from sobremesa.app.extensions import Extension, load_extensions
from sobremesa.app.registry import REGISTRY
from sobremesa.app.store import layout_of

__all__ = ["REGISTRY", "Extension", "Sobremesa", "layout_of", "load_extensions"]
