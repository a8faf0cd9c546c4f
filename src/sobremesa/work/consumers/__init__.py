"""Change consumers: work triggered by the change log, so that it is done for every writer, also after a crash.

- `entities`: the progress of a consumer
- `service`: the consumer
"""

from sobremesa.work.consumers.service import ChangeConsumer, ChangeHandler

__all__ = ["ChangeConsumer", "ChangeHandler"]
