"""Digests: a mail about what is unread, at most one for each user and window, over any number of processes.

A user is looked at when their row of the schedule is due. What is unread is read again then, so reading cancels a
digest. The window is claimed by a conditional write before the mail is sent: of several processes one sends it. A
process that dies in between has claimed a window for which no mail is sent; it never sends two. Only if the mail
server certainly has not accepted the mail, the claim is returned.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import structlog

from sobremesa.core.actor import Actor
from sobremesa.core.clock import Clock
from sobremesa.core.errors import NotFound
from sobremesa.domains.accounts.entities import User
from sobremesa.domains.accounts.service import Accounts
from sobremesa.domains.mail.errors import MailNotSent, MailRefused
from sobremesa.domains.mail.mailers import Transport, mail_of
from sobremesa.domains.notifications.digest_mail import digest_mail
from sobremesa.domains.notifications.entities import (
    DigestState,
    DueDigest,
    NotificationSettings,
    claim_digest,
    digest_state_of,
    schedule_digest,
    settings_of,
)
from sobremesa.domains.notifications.errors import UnknownTimeZone
from sobremesa.domains.notifications.quiet_hours import DEFAULT_ZONE, QuietHours, require_zone
from sobremesa.domains.notifications.schedule import DigestSchedule, due_digest
from sobremesa.domains.notifications.unread import Connections, UnreadPlace, UnreadPlaces
from sobremesa.domains.notifications.unsubscribing import UnsubscribeTokens
from sobremesa.table import Create, Delete, Table, Update, absent_or_null, at_most, equals, set_to
from sobremesa.table.errors import ConditionFailed

HOUR_MS = 3_600_000
WINDOWS = {"hourly": HOUR_MS, "daily": 24 * HOUR_MS}
REST_MS = 24 * HOUR_MS
"""How long a user without an address is left alone."""
RETRY_MS = 30 * 60_000
MAX_FAILURES = 48
"""How often a digest is tried again: for a day."""
PAUSE_MS = 60_000
"""How long no digests are sent after the mail server did not accept one for a reason of its own."""
CLOSE_SECONDS = 15.0

_log = structlog.get_logger("sobremesa.notifications")


class Later(NamedTuple):
    """Look at the user again at this time."""

    at_ms: int


class Drop(NamedTuple):
    """There is nothing to send; with `rests_until_ms`, nothing is scheduled before that time."""

    rests_until_ms: int = 0


class Digest(NamedTuple):
    """Send these places to this address."""

    user: User
    address: str
    places: Sequence[UnreadPlace]
    newest_ms: int
    window_ends_ms: int


Decision: TypeAlias = Later | Drop | Digest


class Digests:
    """Decides about users who are due, and sends their digests."""

    def __init__(
        self,
        table: Table,
        clock: Clock,
        *,
        schedule: DigestSchedule,
        accounts: Accounts,
        places: UnreadPlaces,
        connections: Connections,
        transport: Transport,
        tokens: UnsubscribeTokens,
        public_url: str,
    ) -> None:
        self._table = table
        self._clock = clock
        self._schedule = schedule
        self._accounts = accounts
        self._places = places
        self._connections = connections
        self._transport = transport
        self._tokens = tokens
        self._public_url = public_url.rstrip("/")
        self._sending: set[asyncio.Task[None]] = set()
        self._paused_until_ms = 0

    @property
    def is_paused(self) -> bool:
        """Whether the mail server has just failed: those who are due wait, so that they do not fail one by one."""
        return self._clock.now_ms() < self._paused_until_ms

    async def look_at(self, row: DueDigest) -> None:
        """Send the digest of a user who is due, or move or drop their row."""
        state = await self._table.get(digest_state_of(user_id=row.user_id))
        if state is None or state.due_ms != row.due_ms:
            await self._schedule.drop(row)
            return
        match await self.decide(state):
            case Later(at_ms):
                await self._schedule.move(row, at_ms)
            case Drop(rests_until_ms):
                await self._schedule.drop(row, set_to(rests_until_ms=rests_until_ms))
            case Digest() as digest:
                await self._claim_and_send(row, state, digest)

    async def decide(self, state: DigestState) -> Decision:
        """Return what is to be done about a user now."""
        now, user_id = self._clock.now_ms(), state.user_id
        choice = state.choice or self._schedule.default
        if choice == "off":
            return Drop()
        if state.window_ends_ms > now:
            return Later(state.window_ends_ms)
        user = await self._find_user(state)
        address = None if user is None else address_of(user)
        if user is None or address is None:
            return Drop(now + REST_MS)
        settings = await self._table.get(settings_of(user_id=user_id))
        quiet_until = _quiet_until(settings, user, now)
        if quiet_until is not None:
            return Later(quiet_until)
        if await self._connections.is_online(user_id):
            return Later(now + self._schedule.after_ms)
        actor = Actor.of_user(user_id, user.username, user.tenant)
        places = await self._places.find(actor, {} if settings is None else settings.levels)
        # What an earlier digest has shown already does not cause another one.
        new = [at for place in places for at in place.times_ms if at > state.shown_until_ms]
        if not new:
            return Drop()
        if min(new) + self._schedule.after_ms > now:
            return Later(min(new) + self._schedule.after_ms)
        return Digest(user, address, places, max(new), now + WINDOWS[choice])

    async def close(self) -> None:
        """Wait for the digests that are being sent, for a limited time: their windows are claimed."""
        if self._sending:
            await asyncio.wait(self._sending, timeout=CLOSE_SECONDS)

    async def _find_user(self, state: DigestState) -> User | None:
        try:
            return await self._accounts.get_user(state.user_id)
        except NotFound:
            return None

    async def _claim_and_send(self, row: DueDigest, state: DigestState, digest: Digest) -> None:
        try:
            await self.claim(row, digest)
        except ConditionFailed:
            return  # another process was first
        # A shutdown lets it finish: the window is claimed.
        task = asyncio.create_task(self._send(state, digest))
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)
        await asyncio.shield(task)

    async def claim(self, row: DueDigest, digest: Digest) -> None:
        """Claim the window of a digest: this condition makes it one mail. ConditionFailed if another process has."""
        is_over = absent_or_null("window_ends_ms") | at_most("window_ends_ms", self._clock.now_ms())
        await self._table.write(
            state=Update(
                DigestState.key(user_id=row.user_id),
                set_to(due_ms=None, shown_until_ms=digest.newest_ms, window_ends_ms=digest.window_ends_ms),
                when=equals("due_ms", row.due_ms) & is_over,
            ),
            due=Delete(row.own_key()),
            pattern=claim_digest,
        )

    async def _send(self, state: DigestState, digest: Digest) -> None:
        url = f"{self._public_url}/v1/unsubscribe/{self._tokens.of(state.user_id)}"
        content = digest_mail(digest.user.username, digest.places, self._public_url, url)
        try:
            await self._transport.send_mail(mail_of(digest.address, content, unsubscribe_url=url))
        except MailNotSent as failed:
            is_over = isinstance(failed, MailRefused) or state.failures + 1 >= MAX_FAILURES
            if not isinstance(failed, MailRefused):
                self._paused_until_ms = self._clock.now_ms() + PAUSE_MS
            _log.warning("a digest was not sent", user_id=state.user_id, why=str(failed), again=not is_over)
            await self._return_claim(state, digest.window_ends_ms, is_over=is_over)
            return
        except Exception as error:  # it may have been sent: the window stays claimed
            _log.warning("a digest may not have been sent", user_id=state.user_id, why=type(error).__name__)
        if state.failures:
            await self._return_claim(state, digest.window_ends_ms, is_over=True)

    async def _return_claim(self, state: DigestState, window_ends_ms: int, *, is_over: bool) -> None:
        """Schedule the digest again, as it was before the claim; if it is over, only forget the failures."""
        ours = equals("window_ends_ms", window_ends_ms) & absent_or_null("due_ms")
        key = DigestState.key(user_id=state.user_id)
        with contextlib.suppress(ConditionFailed):
            if is_over:
                await self._table.write(Update(key, set_to(failures=0), when=ours), pattern=claim_digest)
                return
            due_ms = self._clock.now_ms() + RETRY_MS
            before = set_to(
                due_ms=due_ms,
                shown_until_ms=state.shown_until_ms,
                window_ends_ms=state.window_ends_ms,
                failures=state.failures + 1,
            )
            await self._table.write(
                state=Update(key, before, when=ours),
                due=Create(due_digest(state.user_id, due_ms)),
                pattern=schedule_digest,
            )


def address_of(user: User) -> str | None:
    """Return the address that digests of a user are sent to, or None: also for a user who is disabled."""
    if user.disabled_at is not None:
        return None
    return user.email or user.contact_email


def _quiet_until(settings: NotificationSettings | None, user: User, now_ms: int) -> int | None:
    """Return when the quiet hours of a user end; None if there are none now."""
    if settings is None or settings.quiet_start is None or settings.quiet_end is None:
        return None
    name = settings.time_zone or user.time_zone or DEFAULT_ZONE
    try:
        zone = require_zone(name)
    except UnknownTimeZone:
        zone = require_zone(DEFAULT_ZONE)
    return QuietHours.parse(settings.quiet_start, settings.quiet_end).end_ms(now_ms, zone)
