"""The environment of Alembic, which runs the migrations inside the caller's transaction."""

from alembic import context

context.configure(connection=context.config.attributes["connection"])
context.run_migrations()
