"""Brings a database's schema up to date with alembic; loaded only when a store is opened."""

from pathlib import Path

from alembic import command
from alembic.config import Config


def upgrade(path: Path) -> None:
    """Apply to the database at ``path`` every migration it has not had; make the file if needed."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["path"] = path
    command.upgrade(config, "head")
