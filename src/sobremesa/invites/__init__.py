"""Invites: one space of codes, and one door for all of them, whatever they lead to."""

from sobremesa.invites.service import Invites

__all__ = ["Invites"]
