"""Decoding JSON of which nobody knows how many values it holds.

Lives here: the bound on the values of one text, and a way to decode many without holding up the
other threads. Must not know what is acceptable JSON: that is the decoder's.

A body of 14 MiB of ``[],`` is five million lists: a gigabyte, and the interpreter's lock for as
long as the C decoder runs.
"""

import copy
import json
from collections.abc import Callable
from json import scanner
from typing import Any, Final

MAX_VALUES: Final = 1_000_000
"""Values of one text at most, those inside of others counted: some 64 MiB as Python objects."""
FEW: Final = 100_000
"""So many values the C decoder reads within 10 ms, in which no other thread runs."""

_python_scanner: Final = vars(scanner)["py_make_scanner"]  # unknown to the stubs
_Scan = Callable[[str, int], tuple[Any, int]]


class TooManyValuesError(ValueError):
    """A text holds more values than it may; the message names the limit."""


def decode(text: str, decoder: json.JSONDecoder) -> Any:
    """Return the value that ``decoder`` reads from ``text``.

    Raises :class:`TooManyValuesError` before more than a million values have been made, and what
    the decoder raises.
    """
    # Each value but the first follows one of these; inside of strings they count, too.
    if text.count(",") + text.count("[") + text.count("{") <= FEW:
        return decoder.decode(text)
    return _Counted(decoder).decode(text)


class _Counted:
    """A decoder like another one, which counts values and lets other threads run.

    It is put together of the standard library's Python decoder, which calls its parts by these
    names; strings and numbers are still read by C.
    """

    def __init__(self, decoder: json.JSONDecoder) -> None:
        own: Any = copy.copy(decoder)
        self._array, self._object = own.parse_array, own.parse_object
        own.parse_array, own.parse_object, own.memo = self._read_array, self._read_object, {}
        own.scan_once = _python_scanner(own)
        self.decode: Callable[[str], Any] = own.decode
        self._left = MAX_VALUES

    def _value(self, text: str, at: int) -> tuple[Any, int]:
        self._left -= 1
        if self._left < 0:
            raise TooManyValuesError(f"more than {MAX_VALUES} values")
        return self._scan(text, at)

    def _read_array(self, place: tuple[str, int], scan: _Scan) -> tuple[Any, int]:
        self._scan = scan
        found: tuple[Any, int] = self._array(place, self._value)
        return found

    def _read_object(
        self, place: tuple[str, int], strict: bool, scan: _Scan, *hooks: Any
    ) -> tuple[Any, int]:
        self._scan = scan
        found: tuple[Any, int] = self._object(place, strict, self._value, *hooks)
        return found
