import pytest

from citestream.targets import Preset, shipped_preset


@pytest.fixture(scope="session")
def preset() -> Preset:
    """The preset that is shipped."""
    return shipped_preset()
