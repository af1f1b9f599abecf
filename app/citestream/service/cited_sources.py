"""The sources that an answer cites, each once, as a reader of a session gets them.

Must not know where parts are stored.
"""

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

from citestream.rendering import source_keys
from citestream.targets import written_target


def cited_sources(parts: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return one entry for each source of ``parts``, cited parts in order of first citation.

    A part and an entry have the keys ``data_part_id``, ``tool_name``, ``title``, ``url``, and
    ``source`` and ``target`` where they are known. An entry is its first part; where several parts
    are of one source (the rule of `number_citations`) it lists them as ``data_part_ids``.
    """
    entries: list[dict[str, Any]] = []
    known: dict[Hashable, dict[str, Any]] = {}
    for part in parts:
        keys = source_keys(part, written_target(part.get("target")))
        entry = next((known[key] for key in keys if key in known), None)
        if entry is None:
            entry = {name: part[name] for name in part if part[name] is not None or name in _ALWAYS}
            entries.append(entry)
        else:
            entry.setdefault("data_part_ids", [entry["data_part_id"]])
            entry["data_part_ids"].append(part["data_part_id"])
        for key in keys:
            known.setdefault(key, entry)
    return entries


_ALWAYS = frozenset({"title", "url"})
