"""The refusals of accounts, each with a stable code."""

from __future__ import annotations

from msgspec import UnsetType

from sobremesa.core.actor import own_picture
from sobremesa.core.errors import Clash, Forbidden, Invalid, NotConfigured, Unauthenticated

MAX_LOGGED = 200
"""How much of a claim of a refused token is logged."""


class EmailTaken(Clash):
    """Another user has this e-mail address."""

    code = "email_taken"
    default_detail = "This e-mail address is already in use."


class ExternalIdTaken(Clash):
    """Another user of the tenant has this external id."""

    code = "external_id_taken"
    default_detail = "Another user has this external id."


class HasExternalId(Clash):
    """The user has another external id already, which does not change."""

    code = "has_external_id"
    default_detail = "This user has another external id."


class UsernameTaken(Clash):
    """Another user has this username, ignoring case."""

    code = "username_taken"
    default_detail = "This username is already taken."


class RegistrationClosed(Forbidden):
    """Users are created by another system."""

    code = "registration_closed"
    default_detail = "Registration is closed."


class RegistrationByMail(Forbidden):
    """Users must confirm their e-mail address to register."""

    code = "registration_by_mail"
    default_detail = "Register with POST /v1/auth/registrations, which confirms the e-mail address."


class BadRegistrationToken(Invalid):
    """The registration token is used, expired or invalid."""

    code = "bad_registration_token"
    default_detail = "This token is invalid, used or expired. Register again."


class BadCredentials(Unauthenticated):
    """The user does not exist, or the password is wrong; the response does not state which."""

    code = "bad_credentials"
    default_detail = "The e-mail address, username or password is wrong."


class TokenRefused(Unauthenticated):
    """A token is refused. The reason is for the log alone: every client gets the same code."""

    def __init__(self, reason: str, detail: str | None = None, /, **facts: str | None) -> None:
        super().__init__(detail)
        self.reason = reason
        self.facts = {name: text[:MAX_LOGGED] for name, text in facts.items() if text is not None}
        """What helps the operator, of any length in the token: its issuer, its audience, the id of its key."""


class AccountDisabled(Unauthenticated):
    """The product's backend has disabled this account."""

    code = "account_disabled"
    default_detail = "This account is disabled."


class LogoutUnavailable(Clash):
    """The token has no time of issue, so that later tokens would be refused as well."""

    code = "logout_unavailable"
    default_detail = "This token cannot be ended here. Its issuer must end the session."


class SessionEnded(Unauthenticated):
    """The session was ended or has expired, or its refresh token was used twice."""

    code = "session_ended"
    default_detail = "This session has ended. Log in again."


class WrongPassword(Forbidden):
    """The session is valid, but the password given as confirmation is wrong."""

    code = "wrong_password"
    default_detail = "The password is wrong."


class NoPassword(Clash):
    """The user authenticates with tokens of another issuer and has no password."""

    code = "no_password"
    default_detail = "This account has no password."


class BadResetToken(Invalid):
    """The password reset token is used, expired or invalid."""

    code = "bad_reset_token"
    default_detail = "This link is invalid, used or expired. Request a new one."


class MailNotConfigured(NotConfigured):
    """No mailer is configured, so operations that send mail are refused."""

    code = "mail_not_configured"
    default_detail = "This service is not configured to send mail. Contact its operator."


class SelfBlock(Invalid):
    """A user cannot block themselves."""

    code = "self_block"
    default_detail = "You cannot block yourself."


class OwnsServers(Clash):
    """The account owns communities; `serverIds` in the data lists some of them."""

    code = "owns_servers"
    default_detail = "You own communities. Transfer or delete them first."


class OwnsWorkspaces(Clash):
    """Workspaces would be left without an owner; `workspaceIds` in the data lists them."""

    code = "owns_workspaces"
    default_detail = "You are the only owner of workspaces with other members. Add another owner or delete them first."


def require_own_picture(field: str, address: str | UnsetType | None) -> None:
    """Raise Invalid unless this is the address of an upload, or None."""
    if isinstance(address, str) and own_picture(address) is None:
        raise invalid(field, "Expected the URL of an upload, /v1/attachments/{fileId}")


def invalid(field: str, detail: str) -> Invalid:
    """Return the refusal of one field, in the form of the validation errors of requests."""
    return Invalid(detail, errors=[{"in": "body", "pointer": f"#/{field}", "detail": detail}])
