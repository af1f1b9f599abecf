"""The preset that is shipped with the package.

The only file of this room that reads one, and that is the package's own.
"""

import importlib.resources
from functools import cache
from typing import Final

from citestream.targets.preset import Preset
from citestream.targets.preset_file import load_preset

SHIPPED_PRESET: Final = "silvia.toml"
"""The name of the file of the shipped preset, in this package."""


@cache
def shipped_preset() -> Preset:
    """Return the preset that is shipped with the package, as the service uses it by default."""
    file = importlib.resources.files("citestream.targets") / SHIPPED_PRESET
    return load_preset(file.read_text(encoding="utf-8"))
