from importlib import resources

import pytest

from citestream.targets import SHIPPED_PRESET, Preset, load_preset


@pytest.fixture(scope="session")
def preset() -> Preset:
    """The preset that is shipped."""
    file = resources.files("citestream.targets") / SHIPPED_PRESET
    return load_preset(file.read_text(encoding="utf-8"))
