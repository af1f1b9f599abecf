"""The state of an application has what the types say."""

from citestream.api.dependencies import AppState, app_state
from citestream.main import create_app
from citestream.settings import Settings


def test_all_that_is_named_is_there() -> None:
    state = app_state(create_app(Settings()))
    assert all(hasattr(state, name) for name in AppState.__annotations__)
    assert state.settings.silence_seconds == Settings().silence_seconds
