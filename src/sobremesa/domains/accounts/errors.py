"""What accounts refuse, each with a code that programs can rely on."""

from __future__ import annotations

from msgspec import UnsetType

from sobremesa.core.actor import own_picture
from sobremesa.core.errors import Clash, Forbidden, Invalid, NotConfigured, Unauthenticated


class EmailTaken(Clash):
    """Somebody has this e-mail address."""

    code = "email_taken"
    says = "This e-mail address is taken."


class UsernameTaken(Clash):
    """Somebody has this user name, perhaps in other capitals."""

    code = "username_taken"
    says = "This user name is taken."


class RegistrationClosed(Forbidden):
    """People are made elsewhere."""

    code = "registration_closed"
    says = "Nobody can register here."


class RegistrationByMail(Forbidden):
    """Users register with an e-mail address that they confirm."""

    code = "registration_by_mail"
    says = "Register with POST /v1/auth/registrations: the e-mail address is confirmed by mail."


class BadRegistrationToken(Invalid):
    """The token of a registration that was used, is too old, or never was one."""

    code = "bad_registration_token"
    says = "This token was used already or is too old: register again."


class BadCredentials(Unauthenticated):
    """No such user, or a wrong password; the answer does not say which."""

    code = "bad_credentials"
    says = "The e-mail address, user name or password is wrong."


class SessionEnded(Unauthenticated):
    """The session was ended, has expired, or its token was used twice."""

    code = "session_ended"
    says = "This session has ended: log in again."


class WrongPassword(Forbidden):
    """The session is good; the password given to confirm is not."""

    code = "wrong_password"
    says = "The password is wrong."


class NoPassword(Clash):
    """This person comes by another issuer's tokens and has no password here."""

    code = "no_password"
    says = "This account has no password here."


class BadResetToken(Invalid):
    """A way back in that was used, is too old, or never was one."""

    code = "bad_reset_token"
    says = "This link was used already or is too old: ask for a new one."


class MailNotConfigured(NotConfigured):
    """There is no mailer, so nothing that needs a mail can be done."""

    code = "mail_not_configured"
    says = "This service sends no mail, so this cannot be done here: ask its operator."


class SelfBlock(Invalid):
    """One cannot block oneself."""

    code = "self_block"
    says = "You cannot block yourself."


class OwnsServers(Clash):
    """An owner leaves only after somebody else owns the servers; `serverIds` in the data are some of them."""

    code = "owns_servers"
    says = "You own servers: transfer or delete them first."


class OwnsWorkspaces(Clash):
    """Others would be left without an owner; `workspaceIds` in the data are those workspaces."""

    code = "owns_workspaces"
    says = "You are the only owner of workspaces with others in them: make somebody else an owner, or delete them."


def require_own_picture(field: str, address: str | UnsetType | None) -> None:
    """Invalid unless this is the address of an upload of ours, or none at all."""
    if isinstance(address, str) and own_picture(address) is None:
        raise invalid(field, "Expected the address of an upload, /v1/attachments/{fileId}")


def invalid(field: str, detail: str) -> Invalid:
    """The refusal of one field's value, told as the edge tells its own."""
    return Invalid(detail, errors=[{"in": "body", "pointer": f"#/{field}", "detail": detail}])
