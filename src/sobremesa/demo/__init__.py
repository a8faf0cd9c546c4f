"""The demo: sample data of a restaurant, a food co-op and a small studio, and bots that chat.

The content is data; code seeds it into a store and runs the bots:

- `users`, `communities`, `threads`, `notices`, `workspaces`: users, rooms and content
- `scripts`: the messages, in text files (`texts`); `daily_messages`: messages that repeat daily
- `pictures`: generated avatars and photographs
- `calendar`: relative times; `seed_state`: the state of the seeding; `steps`: the actions in a thread
- `seeding`: writes everything in chronological order; `store`: checks that a store belongs to the demo
- `sign_in`: adds the logins to the page of the web client
- `bot_activity`, `bots`, `phrases`: the activity of the bots
"""
