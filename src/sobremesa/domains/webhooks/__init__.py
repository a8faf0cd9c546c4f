"""Webhooks: the events of a tenant, sent to the addresses that its backend registered, signed by Standard Webhooks.

- `entities`: stored rows and access patterns; `errors`, `views`, `api`: refusals, responses and routes
- `service`: the verbs of a tenant's backend; `event_names`: which events a webhook receives
- `queueing`: from the change stream to a durable queue for each webhook; `payloads`: the body of a request
- `failed_changes`: what is recorded about events that could not be created
- `sending`, `delivery`: the nodes share the webhooks by leases, and each sends the queue of a webhook in order per room
- `held_queue`: the part of a queue that a node holds in memory
- `outcomes`: what an attempt changes; `retries`: when an attempt is repeated
- `replaying`: sends again what was sent since a time
- `stored_secrets`: how secrets are encrypted at rest
- `requests`: the HTTP client; `http/outgoing` has the addresses that it may reach
- `usage`: what the metrics show
"""
