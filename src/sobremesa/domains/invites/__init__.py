"""Invites: codes that let people in, with one set of rules whatever they lead to.

`codes` makes the codes, `entities` has what every invite stores, `rules` says when one can be used, and `service`
has the verbs. A domain gives its own rows and rights as an `InviteKind`.
"""

from sobremesa.domains.invites.service import Guard, InviteKind, Invites, Joining, NewInvite, Permit

__all__ = ["Guard", "InviteKind", "Invites", "Joining", "NewInvite", "Permit"]
