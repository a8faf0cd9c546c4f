"""One package per domain, each with entities, errors, views, service, api and events."""
