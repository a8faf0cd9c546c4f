"""Access tokens: their claims, and every known way to forge one."""

from __future__ import annotations

import base64
import hmac
import json
from collections.abc import Callable
from typing import Any

import pytest
from joserfc import jws
from joserfc.jwk import ECKey, OKPKey, RSAKey

from accounts.environment import Environment
from sobremesa.core.actor import UserId
from sobremesa.core.clock import SetClock
from sobremesa.core.errors import Unauthenticated
from sobremesa.core.settings import DEFAULT_ISSUER
from sobremesa.domains.accounts import signatures
from sobremesa.domains.accounts.key_stores import MemoryKeys
from sobremesa.domains.accounts.keyring import Keyring
from sobremesa.domains.accounts.sessions import SignedIn
from sobremesa.domains.accounts.tokens import Tokens

ISSUER = DEFAULT_ISSUER


def encoded(value: Any) -> str:
    raw = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def decoded(part: str) -> Any:
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


def signed(header: dict[str, Any], claims: Any, key: Any) -> str:
    registry = signatures._Allowed(algorithms=[header["alg"]], strict_check_header=False)
    payload = claims if isinstance(claims, bytes) else json.dumps(claims).encode()
    return jws.serialize_compact(header, payload, key, registry=registry)


def hs256(header: dict[str, Any], claims: Any, secret: bytes) -> str:
    """Sign by hand, since the library refuses a public key as a secret."""
    text = f"{encoded({**header, 'alg': 'HS256'})}.{encoded(claims)}"
    return f"{text}.{encoded(hmac.digest(secret, text.encode(), 'sha256'))}"


class Forge:
    """A valid token, its parts, and the real key: what an attacker may know, and more."""

    def __init__(self, token: str, key: OKPKey, now: int) -> None:
        self.token = token
        self.key = key
        self.now = now
        first, second, self.signature = token.split(".")
        self.header: dict[str, Any] = decoded(first)
        self.claims: dict[str, Any] = decoded(second)

    def resigned(self, **claims: Any) -> str:
        """Sign other claims with the real key; None omits one."""
        changed = {name: value for name, value in {**self.claims, **claims}.items() if value is not None}
        return signed(self.header, changed, self.key)


@pytest.fixture
async def signed_in(embedded_env: Environment) -> SignedIn:
    return await embedded_env.register("ana")


@pytest.fixture
async def forge(embedded_env: Environment, signed_in: SignedIn) -> Forge:
    _, key = await embedded_env.keyring.signing_key()
    return Forge(signed_in.access_token, key, embedded_env.clock.now_ms() // 1000)


async def test_token_contains_user_session_and_expiry(
    embedded_env: Environment, signed_in: SignedIn, forge: Forge
) -> None:
    kid, _ = await embedded_env.keyring.signing_key()
    assert forge.header == {"alg": "EdDSA", "kid": kid, "typ": "JWT"}
    assert forge.claims == {
        "iss": ISSUER,
        "aud": "sobremesa",
        "sub": signed_in.user.user_id,
        "sid": signed_in.session_id,
        "tenant": "default",
        "iat": forge.now,
        "exp": forge.now + 600,
    }


async def test_forge_creates_valid_tokens(embedded_env: Environment, forge: Forge) -> None:
    """Otherwise every attack below would fail for the wrong reason."""
    await embedded_env.authenticate(forge.resigned(iat=forge.now + 1))


def _none(forge: Forge) -> str:
    return f"{encoded({**forge.header, 'alg': 'none'})}.{encoded(forge.claims)}."


def _none_with_signature(forge: Forge) -> str:
    return f"{encoded({**forge.header, 'alg': 'None'})}.{encoded(forge.claims)}.{forge.signature}"


def _no_algorithm(forge: Forge) -> str:
    return f"{encoded({'kid': forge.header['kid']})}.{encoded(forge.claims)}.{forge.signature}"


def _hs256_with_the_public_key(forge: Forge) -> str:
    raw = base64.urlsafe_b64decode(str(forge.key.as_dict(private=False)["x"]) + "=")
    return hs256(forge.header, forge.claims, raw)


def _hs256_with_the_public_pem(forge: Forge) -> str:
    return hs256(forge.header, forge.claims, forge.key.as_pem(private=False))


def _hs256_with_nothing(forge: Forge) -> str:
    return hs256(forge.header, forge.claims, b"")


def _own_key_under_our_kid(forge: Forge) -> str:
    return signed(forge.header, forge.claims, OKPKey.generate_key("Ed25519"))


def _ec_key_under_our_kid(forge: Forge) -> str:
    return signed({**forge.header, "alg": "ES256"}, forge.claims, ECKey.generate_key("P-256"))


def _rsa_key_under_our_kid(forge: Forge) -> str:
    return signed({**forge.header, "alg": "RS256"}, forge.claims, RSAKey.generate_key(2048))


def _same_key_by_another_name(forge: Forge) -> str:
    return signed({**forge.header, "alg": "Ed25519"}, forge.claims, forge.key)


def _unknown_kid(forge: Forge) -> str:
    return signed({**forge.header, "kid": "another"}, forge.claims, OKPKey.generate_key("Ed25519"))


def _our_key_under_an_unknown_kid(forge: Forge) -> str:
    return signed({**forge.header, "kid": "../../etc/passwd"}, forge.claims, forge.key)


def _no_kid(forge: Forge) -> str:
    return signed({"alg": "EdDSA"}, forge.claims, forge.key)


def _odd_kid(forge: Forge) -> str:
    return f"{encoded({'alg': 'EdDSA', 'kid': ['a']})}.{encoded(forge.claims)}.{forge.signature}"


def _key_in_header(forge: Forge) -> str:
    own = OKPKey.generate_key("Ed25519")
    return signed({**forge.header, "jwk": own.as_dict(private=False)}, forge.claims, own)


def _key_in_header_without_kid(forge: Forge) -> str:
    own = OKPKey.generate_key("Ed25519")
    return signed({"alg": "EdDSA", "jwk": own.as_dict(private=False)}, forge.claims, own)


def _key_address_in_header(forge: Forge) -> str:
    own = OKPKey.generate_key("Ed25519", parameters={"kid": "mine"})
    header = {"alg": "EdDSA", "kid": "mine", "jku": "https://example.com/keys", "x5u": "https://example.com/x"}
    return signed(header, forge.claims, own)


def _certificate_in_header(forge: Forge) -> str:
    own = OKPKey.generate_key("Ed25519")
    return signed({**forge.header, "x5c": [base64.b64encode(b"certificate").decode()]}, forge.claims, own)


def _critical_header(forge: Forge) -> str:
    text = f"{encoded({**forge.header, 'crit': ['exp2'], 'exp2': 1})}.{encoded(forge.claims)}"
    return f"{text}.{encoded(forge.key.private_key.sign(text.encode()))}"  # type: ignore[union-attr]


def _foreign_issuer(forge: Forge) -> str:
    return forge.resigned(iss="https://issuer.example.com")


def _issuer_with_a_slash(forge: Forge) -> str:
    return forge.resigned(iss=ISSUER + "/")


def _another_audience(forge: Forge) -> str:
    return forge.resigned(aud="another")


def _several_audiences(forge: Forge) -> str:
    return forge.resigned(aud=["sobremesa", "another"])


def _no_audience(forge: Forge) -> str:
    return forge.resigned(aud=None)


def _expired_now(forge: Forge) -> str:
    return forge.resigned(exp=forge.now)


def _never_expires(forge: Forge) -> str:
    return forge.resigned(exp=None)


def _expiry_as_text(forge: Forge) -> str:
    return forge.resigned(exp=str(forge.now + 600))


def _expiry_as_truth(forge: Forge) -> str:
    return forge.resigned(exp=True)


def _not_yet(forge: Forge) -> str:
    return forge.resigned(nbf=forge.now + 6)


def _no_session(forge: Forge) -> str:
    return forge.resigned(sid=None)


def _another_session(forge: Forge) -> str:
    return forge.resigned(sid="01JGSXXXXXXXXXXXXXXXXXXXXX")


def _another_person(forge: Forge) -> str:
    return forge.resigned(sub="01JGSXXXXXXXXXXXXXXXXXXXXX")


def _a_key_as_person(forge: Forge) -> str:
    return forge.resigned(sub="*#")


def _changed_claims(forge: Forge) -> str:
    first, _, signature = forge.token.split(".")
    return f"{first}.{encoded({**forge.claims, 'sub': 'another'})}.{signature}"


def _cut_signature(forge: Forge) -> str:
    return forge.token[:-8]


def _no_signature(forge: Forge) -> str:
    return forge.token.rpartition(".")[0] + "."


def _claims_that_are_a_list(forge: Forge) -> str:
    return signed(forge.header, [forge.claims], forge.key)


def _deep_claims(forge: Forge) -> str:
    return signed(forge.header, b"[" * 3000 + b"]" * 3000, forge.key)


def _huge(forge: Forge) -> str:
    return forge.resigned(padding="x" * 10_000)


ATTACKS = [value for name, value in list(globals().items()) if name.startswith("_") and callable(value)]


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.__name__.strip("_"))
async def test_forged_token_is_refused(embedded_env: Environment, forge: Forge, attack: Callable[[Forge], str]) -> None:
    with pytest.raises(Unauthenticated):
        await embedded_env.authenticate(attack(forge))
    await embedded_env.authenticate(forge.token)


async def test_each_layer_refuses_forged_tokens_by_itself(
    embedded_env: Environment, forge: Forge, clock: SetClock
) -> None:
    """Each part is safe when it is called alone."""
    tokens = Tokens(embedded_env.keyring, clock, ISSUER)
    for attack in ATTACKS:
        if attack not in (_another_session, _another_person, _a_key_as_person):
            with pytest.raises(Unauthenticated):
                await tokens.verify(attack(forge))
    for header in ({**forge.header, "alg": "Ed25519"}, {"alg": "Ed25519"}):
        with pytest.raises(Unauthenticated):
            signatures.proven(signed(header, forge.claims, forge.key), forge.key, ["EdDSA"])


@pytest.mark.parametrize("text", ["", ".", "..", "a.b.c", "Bearer x", "é.é.é", "e30.e30.e30", "e30.e30.", "\x00"])
async def test_malformed_token_is_refused(embedded_env: Environment, text: str) -> None:
    with pytest.raises(Unauthenticated):
        await embedded_env.authenticate(text)


async def test_leeway_applies_to_the_start_of_the_validity_only(embedded_env: Environment, forge: Forge) -> None:
    await embedded_env.authenticate(forge.resigned(nbf=forge.now + 5))
    embedded_env.clock.move(seconds=599.999)
    await embedded_env.authenticate(forge.token)
    embedded_env.clock.move(seconds=0.001)
    with pytest.raises(Unauthenticated):
        await embedded_env.authenticate(forge.token)


async def test_tokens_of_another_keyring_are_refused(
    embedded_env: Environment, signed_in: SignedIn, clock: SetClock
) -> None:
    other = Tokens(await Keyring.open(MemoryKeys(), clock), clock, ISSUER)
    token = await other.issue(UserId(signed_in.user.user_id), signed_in.session_id, signed_in.user.tenant)
    with pytest.raises(Unauthenticated):
        await embedded_env.authenticate(token)
