"""Tokens over HTTP: every kind of forged one is refused in the same words, and a product's own issuer is believed.

The response to a token with a valid signature may explain why it is refused: it has expired, is not valid yet, or names
no tenant. Its bearer learns nothing that the token itself does not contain.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import aiohttp
import pytest
from joserfc.jwk import ECKey, OKPKey, RSAKey
from joserfc.jws import JWSRegistry

from api.calling import PASSWORD, Caller, client_of, log_in, register
from api.conftest import store_of
from api.running import Server, new_key, serving
from sobremesa.app import Sobremesa

AUDIENCE = "chat"
BY_FILE = "https://login.example.com"
BY_ADDRESS = "https://accounts.example.org/"
STRANGER = "https://unknown.example.net"


class Issuer(NamedTuple):
    """A product's own issuer, with the key that it signs with."""

    name: str
    key: Any
    algorithm: str

    def claims(self, subject: str, **more: Any) -> dict[str, Any]:
        now = int(time.time())
        claims = {"iss": self.name, "aud": AUDIENCE, "sub": subject, "iat": now, "exp": now + 300}
        return {name: value for name, value in (claims | more).items() if value is not None}

    def token(self, subject: str, **more: Any) -> str:
        return signed(self.claims(subject, **more), self.key, alg=self.algorithm, kid=self.key.kid)


class Product(NamedTuple):
    """A server that believes two issuers: one by a file of keys, one by an address."""

    server: Server
    by_file: Issuer
    by_address: Issuer


class Session(NamedTuple):
    """A good session of a person who registered here, and the key that signed its token."""

    caller: Caller
    key: OKPKey
    header: dict[str, Any]
    claims: dict[str, Any]


# Making tokens by hand, as an attacker does


def encoded(value: Any) -> str:
    raw = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def decoded(part: str) -> Any:
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


def signed(claims: Any, key: Any, **header: Any) -> str:
    """A token with exactly this header, with a true signature of this key."""
    text = f"{encoded(header)}.{encoded(claims)}"
    return f"{text}.{encoded(_signature(key, text.encode(), header['alg']))}"


def _signature(key: Any, text: bytes, algorithm: str) -> bytes:
    raw: bytes = JWSRegistry.algorithms[algorithm].sign(text, key)
    return raw


def hmac_signed(claims: Any, secret: bytes, **header: Any) -> str:
    text = f"{encoded(header)}.{encoded(claims)}"
    return f"{text}.{encoded(hmac.new(secret, text.encode(), hashlib.sha256).digest())}"


@pytest.fixture(scope="module")
def product(engine: str, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    folder = tmp_path_factory.mktemp("issuers")
    by_file = Issuer(BY_FILE, ECKey.generate_key("P-256", {"kid": "file-1"}), "ES256")
    by_address = Issuer(BY_ADDRESS, RSAKey.generate_key(2048, {"kid": "address-1"}), "RS256")
    (folder / "keys.json").write_text(json.dumps(key_set(by_file)))
    with served(json.dumps(key_set(by_address)).encode()) as address:
        issuers = [
            {"issuer": BY_FILE, "audience": AUDIENCE, "jwks_file": str(folder / "keys.json")},
            {"issuer": BY_ADDRESS, "audience": AUDIENCE, "jwks_url": address, "tenant_claim": "org"},
        ]
        with serving(store_of(engine, request), folder / "server.log", issuers=json.dumps(issuers)) as server:
            yield Product(server, by_file, by_address)


def key_set(issuer: Issuer) -> dict[str, Any]:
    return {"keys": [{**issuer.key.as_dict(private=False), "use": "sig"}]}


@contextmanager
def served(body: bytes) -> Iterator[str]:
    """The address of a page with this body, on this machine, until the end of the block."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as pages:
        thread = threading.Thread(target=pages.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{pages.server_port}/keys"
        finally:
            pages.shutdown()
            thread.join(5)


@pytest.fixture
async def http(product: Product) -> AsyncIterator[aiohttp.ClientSession]:
    async with client_of(product.server.url) as session:
        yield session


@pytest.fixture
async def session(product: Product, http: aiohttp.ClientSession, fresh: str) -> Session:
    caller = await register(http, f"ana-{fresh}")
    async with Sobremesa.open(product.server.store, background=False) as app:
        _, key = await app.store.keyring.signing_key()
    header, claims, _ = str(caller.token).split(".")
    return Session(caller, key, decoded(header), decoded(claims))


Forgery = Callable[[Session], str]
_other = OKPKey.generate_key("Ed25519")
_now = time.time


def _public(session: Session) -> dict[str, Any]:
    return session.key.as_dict(private=False)


def _resigned(session: Session, **claims: Any) -> str:
    """A token with other claims, truly signed by the server's own key."""
    changed = {name: value for name, value in (session.claims | claims).items() if value is not None}
    return signed(changed, session.key, **session.header)


def _without_signature(session: Session, algorithm: str) -> str:
    return f"{encoded(session.header | {'alg': algorithm})}.{encoded(session.claims)}."


FORGERIES: dict[str, Forgery] = {
    "no algorithm": lambda s: _without_signature(s, "none"),
    "no algorithm, in capitals": lambda s: _without_signature(s, "NONE"),
    "no algorithm, but the old signature": lambda s: (
        f"{encoded(s.header | {'alg': 'none'})}.{encoded(s.claims)}.{str(s.caller.token).split('.')[2]}"
    ),
    "HS256 with the public key's bytes": lambda s: hmac_signed(
        s.claims, base64.urlsafe_b64decode(_public(s)["x"] + "="), **s.header | {"alg": "HS256"}
    ),
    "HS256 with the public key's PEM": lambda s: hmac_signed(
        s.claims, s.key.as_pem(private=False), **s.header | {"alg": "HS256"}
    ),
    "HS256 with the public key as JWK": lambda s: hmac_signed(
        s.claims, json.dumps(_public(s)).encode(), **s.header | {"alg": "HS256"}
    ),
    "HS256 with an empty key": lambda s: hmac_signed(s.claims, b"", **s.header | {"alg": "HS256"}),
    "another algorithm's name on a true signature": lambda s: signed(s.claims, s.key, **s.header).replace(
        encoded(s.header), encoded(s.header | {"alg": "ES256"})
    ),
    "ES256 with a key of one's own": lambda s: signed(
        s.claims, ECKey.generate_key("P-256"), **s.header | {"alg": "ES256"}
    ),
    "an unknown kid": lambda s: signed(s.claims, s.key, **s.header | {"kid": "unknown"}),
    "a kid that is a path": lambda s: signed(s.claims, _other, **s.header | {"kid": "../../../../dev/null"}),
    "a kid that is no text": lambda s: signed(s.claims, s.key, **s.header | {"kid": {"$ne": None}}),
    "no kid": lambda s: signed(s.claims, s.key, alg="EdDSA"),
    "a key of one's own": lambda s: signed(s.claims, _other, **s.header),
    "a key in the header": lambda s: signed(
        s.claims, _other, **s.header | {"jwk": _other.as_dict(private=False), "kid": "mine"}
    ),
    "a key in the header beside a known kid": lambda s: signed(
        s.claims, _other, **s.header | {"jwk": _other.as_dict(private=False)}
    ),
    "an address of keys in the header": lambda s: signed(
        s.claims, _other, **s.header | {"jku": "http://127.0.0.1:1/keys", "kid": "mine"}
    ),
    "a certificate in the header": lambda s: signed(
        s.claims, _other, **s.header | {"x5c": ["MIIB"], "x5u": "http://127.0.0.1:1/cert"}
    ),
    "an extension that must be understood": lambda s: signed(s.claims, s.key, **s.header | {"crit": ["exp"]}),
    "an unknown issuer": lambda s: _resigned(s, iss=STRANGER),
    "no issuer": lambda s: _resigned(s, iss=None),
    "the name of an issuer that has other keys": lambda s: _resigned(s, iss=BY_FILE, aud=AUDIENCE),
    "another audience": lambda s: _resigned(s, aud="another-audience"),
    "no audience": lambda s: _resigned(s, aud=None),
    "expired": lambda s: _resigned(s, exp=int(_now()) - 1),
    "expired long ago": lambda s: _resigned(s, iat=0, exp=1),
    "an end that is no number": lambda s: _resigned(s, exp="9999999999"),
    "no end": lambda s: _resigned(s, exp=None),
    "not yet valid": lambda s: _resigned(s, nbf=int(_now()) + 60),
    "no person": lambda s: _resigned(s, sub=None),
    "a person that is no text": lambda s: _resigned(s, sub=7),
    "a person who is not there": lambda s: _resigned(s, sub="01JGSYB3ZZ0000000000000000"),
    "no session": lambda s: _resigned(s, sid=None),
    "a session that is not there": lambda s: _resigned(s, sid="01JGSYB3ZZ0000000000000000"),
    "a key part that breaks out": lambda s: _resigned(s, sid="x#y"),
    "claims that are a list": lambda s: signed([s.claims], s.key, **s.header),
    "another person with the old signature": lambda s: (
        f"{encoded(s.header)}.{encoded(s.claims | {'sub': 'another-user'})}.{str(s.caller.token).split('.')[2]}"
    ),
    "a wrong signature": lambda s: f"{str(s.caller.token).rpartition('.')[0]}.{encoded(bytes(64))}",
    "no signature": lambda s: str(s.caller.token).rpartition(".")[0] + ".",
    "two parts": lambda s: str(s.caller.token).rpartition(".")[0],
    "cut off": lambda s: str(s.caller.token)[:-10],
    "five parts": lambda s: f"{s.caller.token}.a.b",
    "no token at all": lambda s: "hello",
    "far too long": lambda s: f"{s.caller.token}{'A' * 9000}",
    "an unknown server key": lambda s: "sbk_01JGSYB3ZZ0000000000000000_" + "A" * 43,
}


TRULY_SIGNED = {"expired", "expired long ago", "not yet valid", "no tenant", "a tenant that breaks out"}
"""Those whose response may explain the refusal."""


async def wrongly_answered(http: aiohttp.ClientSession, tokens: dict[str, str]) -> dict[str, Any]:
    """The tokens that did not get the response of an anonymous request."""
    anonymous = await Caller(http).call("GET", "/users/me")
    assert anonymous.status == 401
    wrong: dict[str, Any] = {}
    for name, token in tokens.items():
        reply = await Caller(http, token).call("GET", "/users/me")
        same = reply.raw == anonymous.raw
        if name in TRULY_SIGNED:
            same = reply.json | {"detail": ""} == anonymous.json | {"detail": ""}
        if not same:
            wrong[name] = (reply.status, reply.raw)
    return wrong


async def test_a_valid_token_is_accepted(session: Session) -> None:
    await session.caller.get("/users/me")
    by_hand = Caller(session.caller.http, _resigned(session))
    assert (await by_hand.get("/users/me"))["userId"] == session.caller.user_id


async def test_every_forged_token_gets_the_same_refusal(session: Session) -> None:
    tokens = {name: forge(session) for name, forge in FORGERIES.items()}
    assert await wrongly_answered(session.caller.http, tokens) == {}
    await session.caller.get("/users/me")


@pytest.mark.parametrize("scheme", ["Basic", "Token", "bearerx", ""])
async def test_another_scheme_is_no_token(session: Session, scheme: str) -> None:
    reply = await Caller(session.caller.http).call(
        "GET", "/users/me", headers={"Authorization": f"{scheme} {session.caller.token}".strip()}
    )
    assert reply.status == 401


async def test_a_user_of_the_products_own_issuer_is_created_by_the_first_request(
    product: Product, http: aiohttp.ClientSession, fresh: str
) -> None:
    by_file = Caller(http, product.by_file.token(f"file|{fresh}", preferred_username=f"zoe-{fresh}"))
    me = await by_file.get("/users/me")
    assert (me["username"], me["tenant"], me["email"]) == (f"zoe-{fresh}", "default", None)
    again = Caller(http, product.by_file.token(f"file|{fresh}", preferred_username="another-name"))
    assert (await again.get("/users/me"))["userId"] == me["userId"]

    by_address = Caller(http, product.by_address.token(f"address|{fresh}", org="acme"))
    them = await by_address.get("/users/me")
    assert them["tenant"] == "acme"
    assert them["userId"] != me["userId"]
    server = await by_file.post("/servers", {"name": "Ours"})
    invite = await by_file.post(f"/servers/{server['serverId']}/invites")
    await by_address.post(f"/invites/{invite['code']}/redeem", expect=404)
    friend = Caller(http, product.by_file.token(f"friend|{fresh}", preferred_username=f"friend-{fresh}"))
    await friend.post(f"/invites/{invite['code']}/redeem", expect=200)


async def test_a_token_reaches_the_inboxes_of_its_own_tenant_only(
    product: Product, http: aiohttp.ClientSession, fresh: str
) -> None:
    issuer, tenant = product.by_address, f"acme-{fresh}"
    ours = Caller(http, issuer.token(f"zoe-{fresh}", org=tenant))
    rival = Caller(http, issuer.token(f"eve-{fresh}", org=f"{tenant}U"))
    zoe = (await ours.get("/users/me"))["userId"]
    assert (await rival.get("/users/me"))["tenant"] == f"{tenant}U"
    at = f"/tenants/{tenant}/inboxes/news"
    key = Caller(http, await new_key(product.server, "inbox:publish", tenant=tenant))
    other_key = Caller(http, await new_key(product.server, "inbox:publish", tenant=f"{tenant}U"))
    notice = {"audience": {"kind": "users", "userIds": [zoe]}, "sender": "shop", "title": "Secret", "body": "Secret"}
    published = await key.post(f"{at}/messages", notice, expect=202)
    await key.post(f"{at}/messages", notice | {"audience": {"kind": "everyone"}}, expect=202)

    assert len((await ours.get(f"{at}/messages"))["items"]) == 2
    assert (await ours.get(f"{at}/counts"))["unread"] == 2
    here = await register(http, f"dan-{fresh}")
    for stranger in (rival, here):
        for path in (f"{at}/messages", f"{at}/counts"):
            problem = await stranger.get(path, expect=404)
            assert "Secret" not in str(problem)
        await stranger.put(f"{at}/messages/{published['messageId']}/read", expect=404)
    await other_key.post(f"{at}/messages", notice, expect=404)
    await other_key.get(f"{at}/publishes/{published['messageId']}", expect=404)
    assert await rival.get(f"/tenants/{tenant}U/inboxes/news/messages") == {"items": [], "next": None}


async def test_fifty_first_requests_at_once_create_one_user(
    product: Product, http: aiohttp.ClientSession, fresh: str
) -> None:
    tokens = [product.by_file.token(f"many|{fresh}", preferred_username=f"many-{fresh}") for _ in range(25)]
    tokens += [product.by_file.token(f"many|{fresh}", jti=str(number)) for number in range(25)]
    seen = await asyncio.gather(*(Caller(http, token).get("/users/me") for token in tokens))
    assert len({me["userId"] for me in seen}) == 1


async def test_a_forged_token_of_the_products_issuer_gets_the_same_refusal(
    product: Product, http: aiohttp.ClientSession, fresh: str
) -> None:
    now = int(time.time())
    issuer, other = product.by_file, product.by_address
    claims = issuer.claims(f"forged|{fresh}")
    pem = issuer.key.as_pem(private=False)
    forgeries = {
        "another audience": issuer.token(fresh, aud="another-audience"),
        "audiences without ours": issuer.token(fresh, aud=["a", "b"]),
        "no audience": issuer.token(fresh, aud=None),
        "expired": issuer.token(fresh, exp=now - 1),
        "no end": issuer.token(fresh, exp=None),
        "not yet valid": issuer.token(fresh, nbf=now + 60),
        "no subject": issuer.token(fresh, sub=None),
        "an empty subject": issuer.token(fresh, sub=""),
        "signed by the other issuer": signed(claims, other.key, alg="RS256", kid=other.key.kid),
        "signed by the other issuer, with our kid": signed(claims, other.key, alg="RS256", kid=issuer.key.kid),
        "HS256 with the public key": hmac_signed(claims, pem, alg="HS256", kid=issuer.key.kid),
        "no algorithm": f"{encoded({'alg': 'none', 'kid': issuer.key.kid})}.{encoded(claims)}.",
        "an unknown kid": signed(claims, issuer.key, alg="ES256", kid="unknown"),
        "a key in the header": signed(
            claims, key := ECKey.generate_key("P-256"), alg="ES256", jwk=key.as_dict(private=False), kid="mine"
        ),
        "no tenant": other.token(fresh),
        "a tenant that breaks out": other.token(fresh, org="a#b"),
    }
    assert await wrongly_answered(http, forgeries) == {}


async def test_a_session_that_was_ended_is_out_at_once(http: aiohttp.ClientSession, session: Session) -> None:
    other = await log_in(http, session.caller.name)
    await other.get("/users/me")
    await session.caller.delete(f"/users/me/sessions/{decoded(str(other.token).split('.')[1])['sid']}")
    await other.get("/users/me", expect=401)
    await other.post("/auth/refresh", {"refreshToken": other.refresh_token}, expect=401)
    await session.caller.get("/users/me")


async def test_a_changed_password_ends_the_other_sessions_at_once(
    http: aiohttp.ClientSession, session: Session
) -> None:
    others = await asyncio.gather(*(log_in(http, session.caller.name) for _ in range(3)))
    for other in others:
        await other.get("/users/me")
    change = {"current": PASSWORD, "next": "another password"}
    await session.caller.put("/users/me/password", change, expect=204)
    for other in others:
        await other.get("/users/me", expect=401)
        await other.post("/auth/refresh", {"refreshToken": other.refresh_token}, expect=401)
    await session.caller.get("/users/me")


def test_the_keys_beside_a_store_are_for_the_server_alone(product: Product, engine: str) -> None:
    if engine == "embedded":
        path = Path(product.server.store.removeprefix("sqlite:///") + ".keys")
        assert path.stat().st_mode & 0o077 == 0


def test_no_token_is_in_the_log(product: Product, session: Session) -> None:
    log = product.server.log.read_text()
    assert session.caller.name not in log
    for secret in (session.caller.token, session.caller.refresh_token, PASSWORD):
        assert str(secret) not in log
