"""Print the AsyncAPI document of this tree, from which the types of the client's frames and events are generated."""

from __future__ import annotations

import sys

import msgspec

from sobremesa import __version__
from sobremesa.glue.event_catalog import EVENTS
from sobremesa.live import asyncapi

document = asyncapi.document(EVENTS, title="Sobremesa", version=__version__, server_url="http://127.0.0.1:8080")
sys.stdout.buffer.write(msgspec.json.encode(document))
