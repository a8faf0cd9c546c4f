"""The routes of accounts are those of the contract, and every one is documented."""

from __future__ import annotations

import pytest

from accounts.environment import Environment
from sobremesa.domains.accounts.api import routes
from sobremesa.http.endpoints import Routes
from sobremesa.http.problems import status_of

CONTRACT = """
POST /auth/register 201 anyone credentials
POST /auth/registrations 202 anyone credentials
POST /auth/registrations/confirm 201 anyone credentials
POST /auth/login 200 anyone credentials
POST /auth/refresh 200 anyone write
POST /auth/logout 204 person write
POST /auth/reset 202 anyone credentials
POST /auth/reset/confirm 204 anyone credentials
GET /users/me 200 person read
PATCH /users/me 200 person write
DELETE /users/me 204 person credentials
PUT /users/me/password 204 person credentials
GET /users/me/sessions 200 person read
DELETE /users/me/sessions/{session_id} 204 person write
GET /users/me/export 200 person heavy
GET /users/me/blocks 200 person read
GET /users/me/blocks/{user_id} 200 person read
PUT /users/me/blocks/{user_id} 200 person write
DELETE /users/me/blocks/{user_id} 204 person write
GET /users 200 person read
GET /users/{user_id} 200 person read
"""


@pytest.fixture
def api(embedded_env: Environment) -> Routes:
    return routes(embedded_env.accounts)


def test_the_routes_are_those_of_the_contract(api: Routes) -> None:
    found = [f"{each.method} {each.path} {each.status} {each.who} {each.limit}" for each in api.endpoints]
    assert found == CONTRACT.split("\n")[1:-1]


def test_every_refusal_has_a_status(api: Routes) -> None:
    statuses = {error.code: status_of(error) for each in api.endpoints for error in each.errors}
    assert statuses == {
        "email_taken": 409,
        "username_taken": 409,
        "registration_closed": 403,
        "registration_by_mail": 403,
        "bad_registration_token": 422,
        "invalid": 422,
        "bad_credentials": 401,
        "session_ended": 401,
        "account_disabled": 401,
        "logout_unavailable": 409,
        "mail_not_configured": 501,
        "bad_reset_token": 422,
        "wrong_password": 403,
        "owns_servers": 409,
        "owns_workspaces": 409,
        "conflict": 409,
        "no_password": 409,
        "not_found": 404,
        "self_block": 422,
    }
