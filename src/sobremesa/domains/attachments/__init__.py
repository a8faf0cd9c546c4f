"""Attachments: files that people upload, looked at by their content, kept outside of the table, fetched by addresses.

- `entities`: the row of a file, and what can be asked about it
- `receiving`: a file out of a request's body; `intake`: from there to bytes that are kept
- `inspection`: what a file is, and whether it is taken; `pictures` and `archives` read headers and directories
- `previews`: small pictures, each made by a `preview_process` of its own
- `stores`: where bytes are kept, which is `disk` or `s3`; `opening` finds out which
- `addresses`: signed and short-lived; `serving`: with which headers bytes go out
- `service`: the verbs; `views`: files as clients see them; `api`: the routes
"""
