"""Invites: codes that admit users, with one set of rules for servers and workspaces.

`codes` generates codes, `entities` has the fields of every invite, `rules` decides when one can be used, and `service`
has the operations. A domain passes its own rows and rights as an `InviteKind`.
"""

from sobremesa.domains.invites.service import Guard, InviteKind, Invites, Joining, NewInvite, Permit

__all__ = ["Guard", "InviteKind", "Invites", "Joining", "NewInvite", "Permit"]
