"""Other issuers: users of a product authenticate with its tokens, and the first one creates the user, once."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from joserfc.jwk import ECKey, OctKey, OKPKey, RSAKey

from accounts.environment import Environment, environment_on
from accounts.test_tokens import encoded, hs256, signed
from sobremesa.core.clock import SetClock
from sobremesa.core.errors import Busy, Unauthenticated
from sobremesa.core.settings import DEFAULT_ISSUER, BadSetting, Issuer
from sobremesa.domains.accounts import issuers as issuers_module
from sobremesa.domains.accounts.entities import ExternalIdentity, User
from sobremesa.domains.accounts.issuers import Issuers
from sobremesa.domains.accounts.jwks import check_address
from sobremesa.domains.accounts.signatures import peek
from sobremesa.table import Table, measure

NAME = "https://login.example.com"
OKP = OKPKey.generate_key("Ed25519", parameters={"kid": "ed"})
EC = ECKey.generate_key("P-256", parameters={"kid": "ec"})
RSA = RSAKey.generate_key(2048, parameters={"kid": "rsa"})
KEYS: dict[str, Any] = {"EdDSA": OKP, "ES256": EC, "RS256": RSA, "PS256": RSA}


def key_set(*keys: Any) -> str:
    return json.dumps({"keys": [key.as_dict(private=False) for key in keys]})


def issuer(**given: Any) -> Issuer:
    return Issuer(**{"issuer": NAME, "audience": "chat", "public_key": OKP.as_pem(private=False).decode(), **given})


class Product:
    """A product whose tokens are trusted."""

    def __init__(self, clock: SetClock) -> None:
        self.clock = clock

    def token(self, subject: str = "42", *, alg: str = "EdDSA", kid: str | None = None, **claims: Any) -> str:
        given_claims = {
            "iss": NAME,
            "aud": "chat",
            "sub": subject,
            "exp": self.clock.now_ms() // 1000 + 300,
            "preferred_username": "Ana",
            **claims,
        }
        header = {"alg": alg, "kid": kid or KEYS[alg].kid}
        return signed(header, {name: value for name, value in given_claims.items() if value is not None}, KEYS[alg])


@pytest.fixture
def product(clock: SetClock) -> Product:
    return Product(clock)


async def test_first_token_creates_the_user_and_later_ones_find_it(
    table: Table, clock: SetClock, product: Product
) -> None:
    async with environment_on(table, clock, issuers=[issuer(tenant="acme")]) as env:
        actor = await env.authenticate(product.token())
        assert (actor.username, actor.tenant, actor.session_id, actor.is_admin) == ("Ana", "acme", None, False)
        me = await env.accounts.get_me(actor)
        assert (me.email, me.tenant) == (None, "acme")
        assert await env.accounts.find_by_username("ana", actor.tenant) == me

        clock.move(seconds=60)
        assert await env.authenticate(product.token(preferred_username="Other")) == actor
        assert await env.authenticate(product.token("43", preferred_username="Bea")) != actor


async def test_fifty_parallel_first_requests_create_one_user(table: Table, clock: SetClock, product: Product) -> None:
    async with environment_on(table, clock, issuers=[issuer()]) as env:
        nodes = [env, env.other_node(issuers=[issuer()])]
        # Each with another name: only the identity is the same.
        tokens = [product.token(preferred_username=f"ana{number}") for number in range(50)]
        actors = await asyncio.gather(*(nodes[at % 2].authenticate(token) for at, token in enumerate(tokens)))
        assert len({actor.user_id for actor in actors}) == 1
        kinds = [row["entityType"] async for row in table.scan()]
        assert sorted(kinds) == ["ExternalIdentity", "User", "UsernameClaim"]


async def test_a_taken_name_gets_a_suffix(table: Table, clock: SetClock, product: Product) -> None:
    async with environment_on(table, clock, issuers=[issuer()]) as env:
        await env.register("ana")
        name = (await env.authenticate(product.token())).username
        assert name.startswith("Ana-")
        assert len(name) == len("Ana-") + 6
        others = await asyncio.gather(*(env.authenticate(product.token(f"s{number}")) for number in range(10)))
        assert len({actor.username for actor in others}) == 10


@pytest.mark.parametrize(
    ("claims", "name"),
    [
        ({"preferred_username": "ana.b@example.com"}, "ana.b"),
        ({"preferred_username": None, "name": "Ana de la Cruz"}, "Ana_de_la_Cruz"),
        ({"preferred_username": None, "subject": "auth0|1234"}, "auth01234"),
        ({"preferred_username": "admin"}, "user"),
        ({"preferred_username": "!"}, "user"),
        ({"preferred_username": 7, "name": ["x"], "subject": "42"}, "42"),
        ({"preferred_username": "x" * 50}, "x" * 32),
        ({"preferred_username": "\u0301\u0301ana"}, "ana"),
    ],
)
async def test_username_is_derived_from_the_token(
    clock: SetClock, embedded_env: Environment, product: Product, claims: dict[str, Any], name: str
) -> None:
    env = embedded_env.other_node(issuers=[issuer()])
    assert (await env.authenticate(product.token(**claims))).username == name


async def test_the_tenant_can_be_a_claim(embedded_env: Environment, product: Product) -> None:
    env = embedded_env.other_node(issuers=[issuer(tenant_claim="org")])
    assert (await env.authenticate(product.token(org="acme"))).tenant == "acme"
    for org in (None, 7, "a#b", "", "*"):
        with pytest.raises(Unauthenticated):
            await env.authenticate(product.token(org=org))


@pytest.mark.parametrize("alg", sorted(KEYS))
async def test_every_asymmetric_algorithm_of_a_key_set_is_accepted(
    embedded_env: Environment, product: Product, tmp_path: Path, alg: str
) -> None:
    path = tmp_path / "jwks.json"
    path.write_text(key_set(OKP, EC, RSA))
    env = embedded_env.other_node(issuers=[issuer(public_key=None, jwks_file=str(path))])
    await env.authenticate(product.token(alg=alg))


@pytest.mark.parametrize("key", [OKP, EC, RSA], ids=["okp", "ec", "rsa"])
@pytest.mark.parametrize("form", ["pem", "jwk"])
async def test_single_key_is_pem_or_jwk(embedded_env: Environment, product: Product, key: Any, form: str) -> None:
    text = key.as_pem(private=False).decode() if form == "pem" else json.dumps(key.as_dict(private=False))
    env = embedded_env.other_node(issuers=[issuer(public_key=text)])
    await env.authenticate(product.token(alg={"ed": "EdDSA", "ec": "ES256", "rsa": "RS256"}[key.kid]))


def _attacks(product: Product) -> dict[str, str]:
    now = product.clock.now_ms() // 1000
    claims = {"iss": NAME, "aud": "chat", "sub": "42", "exp": now + 300}
    own = OKPKey.generate_key("Ed25519", parameters={"kid": "ed"})
    return {
        "none": f"{encoded({'alg': 'none', 'kid': 'ed'})}.{encoded(claims)}.",
        "hs256 with the public key": hs256({"kid": "ed"}, claims, OKP.as_pem(private=False)),
        "another key": signed({"alg": "EdDSA", "kid": "ed"}, claims, own),
        "key in header": signed({"alg": "EdDSA", "jwk": own.as_dict(private=False)}, claims, own),
        "swapped algorithm": signed({"alg": "ES256", "kid": "ed"}, claims, EC),
        "another audience": product.token(aud="another"),
        "audiences without ours": product.token(aud=["another", "chatter"]),
        "no audience": product.token(aud=None),
        "expired": product.token(exp=now),
        "no expiry": product.token(exp=None),
        "not yet": product.token(nbf=now + 6),
        "no subject": product.token(sub=None),
        "empty subject": product.token(sub=""),
        "subject that is no text": product.token(sub=42),
        "subject with a control character": product.token(sub="4\x002"),
        "unknown issuer": product.token(iss="https://login.example.org"),
        "issuer with a slash": product.token(iss=NAME + "/"),
        "our own name": product.token(iss=DEFAULT_ISSUER),
    }


@pytest.mark.parametrize("attack", sorted(_attacks(Product(SetClock()))))
@pytest.mark.parametrize("source", ["key", "set"])
async def test_forged_token_is_refused(
    embedded_env: Environment, product: Product, tmp_path: Path, attack: str, source: str
) -> None:
    path = tmp_path / "jwks.json"
    path.write_text(key_set(OKP, EC))
    settings = issuer() if source == "key" else issuer(public_key=None, jwks_file=str(path))
    env = embedded_env.other_node(issuers=[settings])
    await env.authenticate(product.token())
    with pytest.raises(Unauthenticated):
        await env.authenticate(_attacks(product)[attack])


async def test_token_with_several_audiences_is_accepted_if_ours_is_one(
    embedded_env: Environment, product: Product
) -> None:
    env = embedded_env.other_node(issuers=[issuer()])
    await env.authenticate(product.token(aud=["another", "chat"]))


async def test_secrets_encryption_keys_and_weak_keys_of_a_set_are_not_used(
    embedded_env: Environment, product: Product, tmp_path: Path
) -> None:
    secret = OctKey.generate_key(256, parameters={"kid": "ed"})
    unused = {**EC.as_dict(private=False), "use": "enc"}
    path = tmp_path / "jwks.json"
    path.write_text(json.dumps({"keys": [secret.as_dict(private=True), unused, RSA.as_dict(private=False)]}))
    env = embedded_env.other_node(issuers=[issuer(public_key=None, jwks_file=str(path))])
    await env.authenticate(product.token(alg="RS256"))
    with pytest.raises(Unauthenticated):
        await env.authenticate(product.token(alg="ES256"))
    now = product.clock.now_ms() // 1000
    claims = {"iss": NAME, "aud": "chat", "sub": "42", "exp": now + 300}
    with pytest.raises(Unauthenticated):
        await env.authenticate(signed({"alg": "HS256", "kid": "ed"}, claims, secret))


class KeyServer:
    """An issuer's URL, with its response and the number of requests."""

    def __init__(self) -> None:
        self.body = key_set(OKP).encode()
        self.status = 200
        self.asked = 0
        answering = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                answering.asked += 1
                self.send_response(answering.status)
                if answering.status == 302:
                    self.send_header("location", "/elsewhere")
                self.end_headers()
                self.wfile.write(answering.body)

            def log_message(self, *given: object) -> None:
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/keys"


@pytest.fixture
def key_server() -> Iterator[KeyServer]:
    served = KeyServer()
    thread = threading.Thread(target=served.server.serve_forever, args=(0.01,))
    thread.start()
    yield served
    served.server.shutdown()
    thread.join()
    served.server.server_close()


class Wait:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def wait() -> Wait:
    return Wait()


def _verifier(url: str, clock: SetClock, wait: Callable[[], float]) -> Issuers:
    return Issuers([issuer(public_key=None, jwks_url=url)], clock, monotonic=wait)


async def _verify(believed: Issuers, token: str) -> str:
    header, hint = peek(token)
    return (await believed.verify(token, header, hint.iss)).subject


async def test_keys_at_a_url_are_loaded_once_and_again_for_an_unknown_key(
    clock: SetClock, product: Product, key_server: KeyServer, wait: Wait
) -> None:
    believed = _verifier(key_server.url, clock, wait)
    for number in range(5):
        assert await _verify(believed, product.token(str(number))) == str(number)
    assert key_server.asked == 1

    key_server.body = key_set(OKP, EC).encode()
    for _ in range(5):
        with pytest.raises(Unauthenticated):
            await _verify(believed, product.token(alg="ES256"))
    assert key_server.asked == 1
    wait.now += issuers_module.UNKNOWN_KEY_RELOAD_SECONDS
    await _verify(believed, product.token(alg="ES256"))
    assert key_server.asked == 2


async def test_withdrawn_key_is_refused_within_an_hour(
    clock: SetClock, product: Product, key_server: KeyServer, wait: Wait
) -> None:
    believed = _verifier(key_server.url, clock, wait)
    await _verify(believed, product.token())
    key_server.body = key_set(EC).encode()
    wait.now += issuers_module.RELOAD_SECONDS + 1
    with pytest.raises(Unauthenticated):
        await _verify(believed, product.token())


async def test_issuer_that_is_down_keeps_its_cached_keys_and_is_not_called_by_every_request(
    clock: SetClock, product: Product, key_server: KeyServer, wait: Wait
) -> None:
    believed = _verifier(key_server.url, clock, wait)
    key_server.status = 500
    for _ in range(3):
        with pytest.raises(Busy):
            await _verify(believed, product.token())
    assert key_server.asked == 1
    key_server.status = 200
    wait.now += issuers_module.UNKNOWN_KEY_RELOAD_SECONDS
    await _verify(believed, product.token())
    key_server.status = 500
    wait.now += issuers_module.RELOAD_SECONDS + 1
    await _verify(believed, product.token())


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b'{"keys": 7}', b'{"keys": [7]}', b'{"keys": [{"kty": "EC"}]}',
                                  b'{"keys": [{"kty": "RSA", "n": "AQAB", "e": "AQAB"}]}', b"x" * 300_000])  # fmt: skip
async def test_invalid_key_set_is_not_used(
    clock: SetClock, product: Product, key_server: KeyServer, wait: Wait, body: bytes
) -> None:
    key_server.body = body
    with pytest.raises(Busy):
        await _verify(_verifier(key_server.url, clock, wait), product.token())


async def test_redirect_is_not_followed(clock: SetClock, product: Product, key_server: KeyServer, wait: Wait) -> None:
    key_server.status = 302
    with pytest.raises(Busy):
        await _verify(_verifier(key_server.url, clock, wait), product.token())
    assert key_server.asked == 1


@pytest.mark.parametrize("url", ["http://example.com/keys", "file:///etc/passwd", "ftp://127.0.0.1/x", "https://", "x",
                                 "http://localhost.example.com/", "http://127.0.0.1.example.com/"])  # fmt: skip
def test_keys_require_https_or_a_local_url(url: str) -> None:
    with pytest.raises(ValueError, match="neither https"):
        check_address(url)
    for fine in ("https://example.com/keys", "http://127.0.0.1:9/keys", "http://localhost/keys", "http://[::1]/keys"):
        check_address(fine)


@pytest.mark.parametrize(
    "given",
    [
        {"public_key": None},
        {"jwks_file": "x"},
        {"public_key": "no key"},
        {"public_key": "{}"},
        {"public_key": json.dumps(OctKey.generate_key(256).as_dict(private=True))},
        {"public_key": None, "jwks_url": "http://example.com/keys"},
    ],
)
def test_invalid_settings_are_refused_at_startup(given: dict[str, Any]) -> None:
    with pytest.raises(BadSetting):
        Issuers([issuer(**given)], SetClock())
    with pytest.raises(BadSetting):
        Issuers([issuer(), issuer()], SetClock())


async def test_known_external_user_costs_nothing_while_cached(embedded_env: Environment, product: Product) -> None:
    env = embedded_env.other_node(issuers=[issuer()])
    token = product.token()
    await env.authenticate(token)
    with measure() as measured:
        await env.authenticate(token)
    assert measured.calls == 0
    embedded_env.clock.move(seconds=1)
    with measure() as measured:
        await env.authenticate(token)
    assert (measured.calls, measured.read) == (1, 1)


async def test_old_tokens_do_not_recreate_a_deleted_external_user(
    table: Table, clock: SetClock, product: Product
) -> None:
    async with environment_on(table, clock, issuers=[issuer()]) as env:
        actor = await env.authenticate(product.token())
        await env.accounts.delete_me(actor)
        for _ in range(2):
            with pytest.raises(Unauthenticated):
                await env.authenticate(product.token())
            await env.accounts.finish_deletion(actor.user_id)
            clock.move(seconds=2)

        clock.move(seconds=24 * 3600)
        anew = await env.authenticate(product.token())
        assert anew.user_id != actor.user_id
        kinds = {row["entityType"] async for row in table.scan()}
        assert {User.__name__, ExternalIdentity.__name__} <= kinds
