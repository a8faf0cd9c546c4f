"""The HTTP server: typed endpoints, problems, OpenAPI, limits, logs and metrics.

- `endpoints`: declares endpoints by the signatures of functions
- `invocation`: runs an endpoint, for a request over ASGI (`dispatch`) or a call over the gateway (`calls`); `router`
  finds the endpoint, `decoding` parses its input, `deadlines` cancels what takes too long
- `problems`: maps errors to statuses, and is the only module that does
- `openapi`, `docs_page`: the API documentation, built with `schemas` and `examples`
- `limits`, `middleware`, `metrics`, `logs`, `trace`: what applies to every request
- `site`: all endpoints and pages as one ASGI application, which `server` runs on uvicorn; `mounting`: under a path of
  another application
"""
