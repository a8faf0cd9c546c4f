"""Mail: what is sent, as plain text and HTML, and how it leaves the process.

- `mailers`: the `Mailer` that a product may pass, and `Transport`, which sends a whole `Mail`
- `content`: the content of a mail; `plain_text` and `html` render it
- `mime`: a mail as the bytes of a message, with safe headers
- `smtp`, `smtp_server`: sending by SMTP, and the server of the settings
- `opening`: the transport of the settings
"""
