"""Account labels as sources: the slug of a label, under the folder that the preset names.

A slug names what the user reads, never an identity. This file knows no rows and no targets.
"""

import re
import unicodedata
from typing import Final

from citestream.targets.errors import TargetInputError
from citestream.targets.preset import Preset

# Letters and digits of every script: what is a word character and no underscore.
_WORD: Final = re.compile(r"[^\W_]+")


def slug(label: str) -> str:
    """Return the slug of a label: NFKD, marks dropped, lower case, one dash between the words.

    Letters and digits of every script are kept; `account` when nothing is left.
    """
    # Each character by itself: the order of marks, which alone needs the whole text and can cost
    # quadratic time, does not matter when all marks go.
    spread = "".join(unicodedata.normalize("NFKD", char) for char in label)
    bare = "".join(char for char in spread if not unicodedata.category(char).startswith("M"))
    return "-".join(_WORD.findall(bare.lower())) or "account"


def account_source(label: str, preset: Preset) -> str:
    """Return the source of an account's label, such as `silvia://your-account/credit-card`.

    Raises TargetInputError when the preset has no folder for labels.
    """
    if preset.label_folder is None:
        raise TargetInputError("label", "has no source: the preset has no row with <label>")
    return f"{preset.scheme}://{preset.label_folder}{slug(label)}"
