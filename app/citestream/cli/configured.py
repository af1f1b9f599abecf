"""The settings of a command: from the environment, flags win; a wrong one ends the command."""

from typing import Any

from pydantic import ValidationError

from citestream.cli.outcomes import WRONG, Failure
from citestream.settings import PREFIX, Settings, slips
from citestream.targets import Preset, shipped_preset
from citestream.wire.input.validation import problems_of


def settings_of(**flags: Any) -> Settings:
    """Return the settings; raise :class:`Failure` naming the variable and the limit."""
    for variable, near in slips().items():
        if near:
            raise Failure(WRONG, f"{variable}: no such setting; did you mean {near}?")
    given = {name: value for name, value in flags.items() if value is not None}
    try:
        return Settings(**given)
    except ValidationError as error:
        found = (f"{PREFIX}{name.upper()}: {problem}" for name, problem in problems_of(error))
        raise Failure(WRONG, "; ".join(found)) from None


def preset_of(settings: Settings) -> Preset:
    """Return the product's preset; raise :class:`Failure` for a file that cannot be used."""
    if settings.target_preset is None:
        return shipped_preset()
    # Only here: it imports the whole service.
    from citestream import main

    try:
        return main.preset_of(settings)
    except main.SettingError as error:
        raise Failure(WRONG, str(error)) from None
