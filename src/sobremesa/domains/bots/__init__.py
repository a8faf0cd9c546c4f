"""Bots: accounts of programs, in a server or of a tenant. `accounts.bot_accounts` has their users and tokens."""
