"""What alembic runs: the steps, inside of the transaction that the program has begun."""

from alembic import context

context.configure(connection=context.config.attributes["connection"])
context.run_migrations()
