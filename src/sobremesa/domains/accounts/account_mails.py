"""The mails of accounts: what they contain, with links to the web client."""

from __future__ import annotations

from sobremesa.domains.mail.content import Button, Code, MailContent, Text

_UNEXPECTED = Text("If you did not request this, ignore this message.")


def reset_mail(username: str, public_url: str, token: str) -> MailContent:
    """Return the mail with which a user sets a new password."""
    return MailContent(
        subject="Reset your password",
        blocks=[
            Text(f"Hello {username},"),
            Text(f"we received a request to reset your password at {public_url}. The link is valid for an hour."),
            Button("Set a new password", f"{public_url}/reset?token={token}"),
            Text("Or enter this token:"),
            Code(token),
        ],
        footer=[_UNEXPECTED],
    )


def confirmation_mail(username: str, public_url: str, token: str) -> MailContent:
    """Return the mail that confirms the address of a new user."""
    return MailContent(
        subject="Confirm your e-mail address",
        blocks=[
            Text(f"Hello {username},"),
            Text(f"confirm your e-mail address to register at {public_url}. The link is valid for an hour."),
            Button("Confirm your address", f"{public_url}/register?token={token}"),
            Text("Or enter this token:"),
            Code(token),
        ],
        footer=[_UNEXPECTED],
    )


def registered_mail(username: str, public_url: str) -> MailContent:
    """Return the mail to the owner of an address that is used to register again."""
    return MailContent(
        subject="You already have an account",
        blocks=[
            Text(f"Hello {username},"),
            Text(
                f"we received a request to register at {public_url} with your e-mail address. You already have an "
                "account: sign in, or reset your password."
            ),
            Button("Sign in", f"{public_url}/signin"),
            Button("Reset your password", f"{public_url}/reset"),
        ],
        footer=[_UNEXPECTED],
    )
