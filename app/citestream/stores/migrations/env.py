"""How alembic reaches the database: through the store's own connection, in its transaction."""

from alembic import context
from sqlalchemy import create_engine
from sqlalchemy.pool import StaticPool

store = context.config.attributes["connection"]


class _Lent:
    """The store's connection, which is not alembic's to commit, roll back or close."""

    def __getattr__(self, name: str) -> object:
        return getattr(store, name)

    def _nothing(self) -> None:
        """Leave it to the store."""

    commit = rollback = close = _nothing


engine = create_engine("sqlite://", creator=_Lent, poolclass=StaticPool)

with engine.connect() as connection:
    context.configure(connection=connection)
    with context.begin_transaction():
        context.run_migrations()
