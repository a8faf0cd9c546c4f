"""Attachments: uploaded files, checked by content, stored outside the table and served by signed URLs.

- `entities`: the row of a file, and its access patterns
- `uploads`: reads a file from a request body; `processing`: inspects it and stores its bytes
- `inspection`: detects and checks the type of a file; `images` and `archives` read headers and directories
- `previews`: small images, each rendered by its own `preview_process`
- `stores`: the interface of file stores, implemented by `disk` and `s3`; `opening` chooses one
- `signed_urls`: short-lived download URLs; `serving`: response headers of downloads
- `service`: the methods; `views`: files as clients see them; `api`: the routes
"""
