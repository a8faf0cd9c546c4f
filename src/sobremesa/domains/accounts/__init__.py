"""Accounts: users, how they authenticate, and the Actor of every request.

- `entities`: stored rows and access patterns; `errors`: refusals; `names`: rules for names, addresses and passwords
- `service`: the operations of users; `password_accounts` (with `registration`, `verification`, `login` and `recovery`),
  `sessions`, `tenant_users`, `exporting` and `account_deletion` are its parts, and `context` is what they share;
  `deletion_hooks`: what other domains do when an account is deleted
- `authentication`: from a token to an Actor, cached by `actor_cache`. `tokens` are our own, `issuers` (with `jwks` and
  `provisioning`) accept a product's tokens, `server_keys` are for its servers; `signatures` verifies signed tokens
- `keyring`, `key_stores`: signing keys and secrets, and where they are stored; `passwords`: argon2id;
  `secret_hash`: how other secrets are stored; `mail`: the mailer
- `audit`: the audit log
- `opening`: composes the parts; `api`: the routes; `views`: their responses; `events`: what is published
"""
