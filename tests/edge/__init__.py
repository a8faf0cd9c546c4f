"""The HTTP edge, over a real server on a loopback port, with a small API of its own.

The folder is not called `http`: on the path of the tests that name would hide Python's own package.

- `api`: the endpoints of these tests; `running`: a server of them in this process, `slow_server`: one in its own
- `test_requests`: what a request may bring; `test_every_answer`: what each answer has; `test_site`: the pages beside
- `test_limits`, `test_router`, `test_deadlines`, `test_openapi`, `test_logs`: the parts
- `test_leaving`: a server that is stopped
"""
