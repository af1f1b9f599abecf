"""How alembic reaches the database: one connection, closed before the store opens its own."""

from alembic import context
from sqlalchemy import create_engine
from sqlalchemy.pool import NullPool

engine = create_engine(
    f"sqlite:///{context.config.attributes['path']}",
    poolclass=NullPool,
    connect_args={"timeout": 5.0},
)

with engine.connect() as connection:
    context.configure(connection=connection, transaction_per_migration=True)
    with context.begin_transaction():
        context.run_migrations()
