"""Bodies of other products, as types, and what they look like as a message.

Each module has the types of one product, which ignore fields that are not shown, and a function `render` that returns
text in the Markdown of the web client. `markdown` escapes, links and shortens.
"""
