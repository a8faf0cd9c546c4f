"""Accounts: people, how they prove who they are, and the Actor that every request becomes.

- `entities`: what is stored, and what can be asked; `errors`: what is refused; `names`: what a name may be
- `service`: the verbs of a person; `sessions`, `recovery`, `departure`, `departures`, `exporting`: its longer stories
- `authentication`: from a token to an Actor; `actor_cache` caches, `tokens` are our own, `issuers` (with `jwks` and
  `newcomers`) let a product's people in by its tokens, `server_keys` its servers; `signatures` checks them all
- `keyring`, `key_stores`: signing keys and secrets, and where they are kept; `passwords`: argon2id;
  `secret_hash`: how the rest is kept; `mail`: the way out
- `audit`: who did what to whom
- `opening`: the parts put together; `api`: the routes
"""
