"""Routes of incoming webhooks."""

from __future__ import annotations

from typing import Annotated

import msgspec

from sobremesa.core.actor import Actor
from sobremesa.core.custom_data import BadData, CustomData
from sobremesa.core.errors import ChangedMeanwhile, Invalid, NotFound
from sobremesa.core.ids import RoomId, RoomKindName
from sobremesa.domains.accounts.api import AvatarUrl
from sobremesa.domains.conversations.errors import DirectIsFixed
from sobremesa.domains.incoming_webhooks.entities import HookId, IncomingHook
from sobremesa.domains.incoming_webhooks.errors import NothingToPost, TooManyHooks
from sobremesa.domains.incoming_webhooks.formats import alerts, discord, github, slack
from sobremesa.domains.incoming_webhooks.formats.markdown import MAX_CONTENT
from sobremesa.domains.incoming_webhooks.service import IncomingWebhooks, Post
from sobremesa.domains.incoming_webhooks.views import HookView, NewHookView, PostedView, hook_view, new_hook_view
from sobremesa.domains.threads.errors import ThreadNotOpen
from sobremesa.http.endpoints import Answer, Input, Listed, PageQuery, Routes
from sobremesa.rooms.api import Nonce
from sobremesa.rooms.errors import NonceReused
from sobremesa.rooms.views import SentView

MAX_NAME = 80
MAX_BODY_NAME = 4 * MAX_NAME
"""How much of a name in another format is looked at."""
MAX_BODY_BYTES = 256 * 1024
MAX_GITHUB_BYTES = 2 * 1024 * 1024
"""A push of many commits is large, although few of them are shown."""

MAX_VALUES = 20_000
MAX_GITHUB_VALUES = 100_000
"""A list of empty objects costs the most for its size."""

Name = Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_NAME, pattern=r"\S", examples=["Deployments"])]
Headers = dict[str, str]
POSTS = [NotFound, NothingToPost, ThreadNotOpen]


class NewHook(Input):
    """An incoming webhook to create."""

    name: Name | None = None
    avatar_url: AvatarUrl | None = None


class NativeBody(Input):
    """A message to post."""

    content: Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_CONTENT, examples=["The build is green."])]
    username: Annotated[Name, msgspec.Meta(description="The name of the author, instead of the webhook's.")] | None = (
        None
    )
    nonce: Nonce | None = None
    data: CustomData | None = None


def routes(hooks: IncomingWebhooks, site: str) -> Routes:
    """The routes of incoming webhooks; `site` is the address of the service."""
    api = Routes("Hooks", "Incoming webhooks: other products post messages to a room.")
    kinds: tuple[RoomKindName, ...] = ("channel", "conversation", "thread")
    for kind in kinds:
        _declare_of_rooms(api, hooks, kind, site)
    _declare_native(api, hooks)
    _declare_chats(api, hooks)
    _declare_products(api, hooks)
    return api


def _declare_of_rooms(api: Routes, hooks: IncomingWebhooks, kind: RoomKindName, site: str) -> None:
    at = f"/{kind}s/{{room_id}}/hooks"
    refusals = [DirectIsFixed] if kind == "conversation" else []

    async def create_hook(actor: Actor, room_id: RoomId, body: NewHook) -> NewHookView:
        """Create an incoming webhook. Its address is shown only in this response.

        Requires the right to manage the room: that of channels, or to be an admin of the group or thread.
        """
        created = await hooks.create(actor, kind, room_id, name=body.name, avatar_url=body.avatar_url)
        return new_hook_view(created, site)

    async def list_hooks(actor: Actor, room_id: RoomId, query: PageQuery) -> Listed[HookView]:
        """List the incoming webhooks of a room, without their addresses."""
        found, cursor = await hooks.list_hooks(actor, kind, room_id, limit=query.limit, cursor=query.cursor)
        return Listed([hook_view(hook) for hook in found], cursor)

    async def delete_hook(actor: Actor, room_id: RoomId, hook_id: HookId) -> None:
        """Delete an incoming webhook. Its address is refused from now on, and its messages stay."""
        await hooks.delete(actor, kind, room_id, hook_id)

    for handler, verb in ((create_hook, "create"), (list_hooks, "list"), (delete_hook, "delete")):
        handler.__name__ = f"{verb}_{kind}_hook{'s' if verb == 'list' else ''}"
    api.post(at, status=201, errors=[TooManyHooks, ChangedMeanwhile, Invalid, *refusals])(create_hook)
    api.get(at, errors=refusals)(list_hooks)
    api.delete(f"{at}/{{hook_id}}", errors=[NotFound, ChangedMeanwhile, *refusals])(delete_hook)


def _declare_native(api: Routes, hooks: IncomingWebhooks) -> None:
    @api.post(
        "/hooks/{token}",
        status=201,
        also_status=200,
        limit="send",
        admit=hooks.require_hook,
        errors=[*POSTS, NonceReused, BadData],
    )
    async def post(admitted: IncomingHook, body: NativeBody) -> Answer[SentView]:
        """Post a message. The token in the address is the authentication.

        A repeated `nonce` returns the first message, with `replayed`. Names of users in the text are mentions.
        """
        post = Post(body.content, _name(body.username), body.nonce, body.data, may_mention=True)
        sent = await hooks.post(admitted, post)
        return Answer(sent, status=200 if sent.replayed else 201)


def _declare_chats(api: Routes, hooks: IncomingWebhooks) -> None:
    @api.post(
        "/hooks/{token}/slack",
        limit="send",
        max_body=MAX_BODY_BYTES,
        max_values=MAX_VALUES,
        form_field="payload",
        admit=hooks.require_hook,
        errors=POSTS,
    )
    async def post_slack(admitted: IncomingHook, body: slack.SlackBody) -> PostedView:
        """Post a message in the format of Slack's incoming webhooks, as JSON or as a form with `payload`.

        Text, blocks and attachments are shown as text; what is interactive is not.
        """
        post = Post(slack.render(body), _name(body.username))
        return PostedView(True, (await hooks.post(admitted, post)).message_id)

    @api.post(
        "/hooks/{token}/discord",
        status=204,
        limit="send",
        max_body=MAX_BODY_BYTES,
        max_values=MAX_VALUES,
        admit=hooks.require_hook,
        errors=POSTS,
    )
    async def post_discord(admitted: IncomingHook, body: discord.DiscordBody) -> None:
        """Post a message in the format of Discord's webhooks: content and embeds."""
        await hooks.post(admitted, Post(discord.render(body), _name(body.username)))


def _declare_products(api: Routes, hooks: IncomingWebhooks) -> None:
    @api.post(
        "/hooks/{token}/github",
        limit="send",
        max_body=MAX_GITHUB_BYTES,
        max_values=MAX_GITHUB_VALUES,
        admit=hooks.require_hook,
        errors=POSTS,
    )
    async def post_github(admitted: IncomingHook, body: github.GithubBody, headers: Headers) -> PostedView:
        """Post an event of GitHub: a push, a pull request, an issue, a release or a ping.

        The header `X-GitHub-Event` names it. Other events and actions post nothing. A repeated delivery posts once.
        """
        content = github.render(headers.get("x-github-event", ""), body)
        if not content:
            return PostedView(True, None)
        delivery = headers.get("x-github-delivery", "")[:100]
        nonce = f"github-{delivery}" if delivery else None
        return PostedView(True, (await hooks.post(admitted, Post(content, "GitHub", nonce))).message_id)

    @api.post(
        "/hooks/{token}/grafana",
        limit="send",
        max_body=MAX_BODY_BYTES,
        max_values=MAX_VALUES,
        admit=hooks.require_hook,
        errors=POSTS,
    )
    async def post_grafana(admitted: IncomingHook, body: alerts.AlertsBody) -> PostedView:
        """Post alerts of Grafana, as its webhook contact point sends them."""
        return PostedView(True, (await hooks.post(admitted, Post(alerts.render(body), "Grafana"))).message_id)

    @api.post(
        "/hooks/{token}/alertmanager",
        limit="send",
        max_body=MAX_BODY_BYTES,
        max_values=MAX_VALUES,
        admit=hooks.require_hook,
        errors=POSTS,
    )
    async def post_alertmanager(admitted: IncomingHook, body: alerts.AlertsBody) -> PostedView:
        """Post alerts of Prometheus's Alertmanager, as its webhook receiver sends them."""
        return PostedView(True, (await hooks.post(admitted, Post(alerts.render(body), "Alertmanager"))).message_id)


def _name(username: str | None) -> str | None:
    """Return the author's name of another format within our length."""
    printable = "".join(each if each.isprintable() else " " for each in (username or "")[:MAX_BODY_NAME])
    return " ".join(printable.split())[:MAX_NAME] or None
