"""The events of accounts, and which sockets they close."""

from __future__ import annotations

from communities.environment import PASSWORD
from events.recorder import EventRecorder, audience_changes, names
from sobremesa.app import Sobremesa
from sobremesa.core.actor import Actor, KeyId, Tenant
from sobremesa.domains.accounts.user_fields import UserFields
from sobremesa.live import events as topics
from sobremesa.live.events import AudienceChange


async def test_new_name_or_picture_is_published_to_the_user(app: Sobremesa, recorder: EventRecorder) -> None:
    ana = await app.accounts.register(email="ana@example.com", username="ana", password=PASSWORD)
    actor = Actor.of_user(ana.user.user_id, "ana")
    await app.accounts.refresh(ana.refresh_token)
    assert await recorder.published() == []

    await app.accounts.change_profile(actor, username="anna")
    user = await app.accounts.change_profile(actor, avatar_url="/v1/attachments/anna")
    _, changed = await recorder.published()

    assert changed == (
        "user.updated",
        (topics.user(actor.user_id),),
        {
            "userId": actor.user_id,
            "username": "anna",
            "displayName": None,
            "avatarUrl": "/v1/attachments/anna",
            "updatedAt": user.updated_at,
        },
    )


async def test_sockets_are_closed_with_their_session_and_with_the_account(
    app: Sobremesa, recorder: EventRecorder
) -> None:
    ana = await app.accounts.register(email="ana@example.com", username="ana", password=PASSWORD)
    actor = Actor.of_user(ana.user.user_id, "ana")
    phone = await app.accounts.login(email="ana@example.com", password=PASSWORD)
    assert await recorder.publications() == []

    await app.accounts.end_session(actor, phone.session_id)
    [ended] = await recorder.publications()
    assert (ended.event, ended.audience) == (None, AudienceChange(ends=(phone.session_id,), of=ana.user.user_id))

    await app.accounts.delete_me(actor, password=PASSWORD)
    await app.jobs.run_pending(app.handlers)
    events = await recorder.publications()
    assert {name for each in audience_changes(events) for name in each.ends} == {actor.user_id, ana.session_id}
    assert names(events) == []


async def test_revoked_tokens_close_the_sockets_of_the_user(app: Sobremesa, recorder: EventRecorder) -> None:
    key = Actor(tenant=Tenant("acme"), key_id=KeyId("k"), scopes=frozenset({"users:write"}))
    user = (await app.accounts.upsert_user(key, key.tenant, "42", UserFields(username="ana"))).user
    assert await recorder.publications() == []

    for verb in (app.accounts.revoke_tokens, app.accounts.disable_user):
        await verb(key, key.tenant, "42")
        [ended] = await recorder.publications()
        assert (ended.event, ended.audience) == (
            None,
            AudienceChange(ends=(topics.tokens_of(user.user_id),), of=user.user_id),
        )

    await app.accounts.enable_user(key, key.tenant, "42")
    assert await recorder.publications() == []
    await app.accounts.upsert_user(key, key.tenant, "42", UserFields(display_name="Ana", data={"a": 1}))
    [changed] = await recorder.published()
    assert (changed.t, changed.d["displayName"]) == ("user.updated", "Ana")
