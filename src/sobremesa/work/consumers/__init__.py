"""Following: work that comes from the change log, so that it is done whoever wrote, and also after a crash.

- `entities`: how far a follower has come
- `service`: the follower
"""

from sobremesa.work.consumers.service import ChangeConsumer, ChangeHandler

__all__ = ["ChangeConsumer", "ChangeHandler"]
