"""The HTTP edge: typed endpoints, problems, OpenAPI, limits, logs and metrics.

- `endpoints`: what an endpoint is, made from the signature of a function
- `dispatch`: from a request to an endpoint and back, over ASGI; `router` finds the endpoint, `decoding` makes values of
  what the request brings, `deadlines` ends what takes too long
- `problems`: which error has which status; nobody else knows statuses
- `openapi`, `docs_page`: the same endpoints as a document, and as a page; made with `schemas` and `examples`
- `limits`, `edge`, `metrics`, `logs`, `trace`: what every request goes through
- `site`: the endpoints and the pages beside them, as one application; `server` puts it on an address
"""
