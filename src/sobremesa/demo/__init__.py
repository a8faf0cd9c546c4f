"""The demo: sample data of a restaurant, a food co-op and a small studio, and bots that chat.

The content is data; code seeds it into a store and runs the bots:

- `people`, `communities`, `agreements`, `notices`, `shared`: users, rooms and content
- `scenes`: the messages, in text files (`plays`); `routines`: messages that repeat daily
- `pictures`: generated avatars and photographs
- `calendar`: relative times; `world`: the state of the seeding; `steps`: the actions in a thread
- `seeding`: writes everything in chronological order; `store`: checks that a store belongs to the demo
- `sign_in`: adds the logins to the page of the web client
- `life`, `bots`, `phrases`: the activity of the bots
"""
