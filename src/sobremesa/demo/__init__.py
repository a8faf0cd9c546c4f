"""The demo: a neighbourhood restaurant, a food co-op and a small studio, with weeks of history and people who talk.

What is there is data; how it gets into a store and stays alive is code. Where things are:

- `people`, `communities`, `agreements`, `notices`, `shared`: who there is, and what is there
- `scenes`: what was said, in text files that read like a play (`plays`); `routines`: what is said every day
- `pictures`: faces and photographs, painted
- `calendar`: when things happened; `world`: what the seeding knows; `steps`: what can happen in a thread
- `seeding`: everything, in the order of time; `store`: which store may be a demo's
- `sign_in`: the logins in the page of the web client
- `life`, `bots`, `phrases`: what goes on while somebody looks
"""
