"""The sources of an answer, each once."""

from typing import Any

from citestream.service.cited_sources import cited_sources

CHECKING = "silvia://your-account/checking"
ACCOUNT = {"kind": "account", "accountId": "qK7mVx2RtB9dLw4ZpYc8NjHs3GfAe6UoTi1Dx"}


def part(part_id: str, **fields: Any) -> dict[str, Any]:
    empty = dict.fromkeys(("title", "url", "source", "target"))
    return {"data_part_id": part_id, "tool_name": "sql", **empty, **fields}


def test_the_same_account_of_two_calls_is_one_source() -> None:
    target = {**ACCOUNT, "provider": "plaid"}
    parts = [
        part("a", title="Checking", source=CHECKING, target=target),
        part("b", url="https://example.org/p"),
        part("c", title="Checking again", source=CHECKING, target=target),
        part("d", target={**ACCOUNT, "provider": None}),
        part("e", url="https://example.org/p", title="P"),
    ]
    assert cited_sources(parts) == [
        {
            "data_part_id": "a",
            "tool_name": "sql",
            "title": "Checking",
            "url": None,
            "source": CHECKING,
            "target": target,
            "data_part_ids": ["a", "c", "d"],
        },
        {
            "data_part_id": "b",
            "tool_name": "sql",
            "title": None,
            "url": "https://example.org/p",
            "data_part_ids": ["b", "e"],
        },
    ]


def test_parts_of_which_nothing_is_known_are_sources_of_their_own() -> None:
    entries = cited_sources([part("a"), part("b"), part("c", target={"kind": "analysis"})])
    assert [entry["data_part_id"] for entry in entries] == ["a", "b", "c"]
    assert not any("data_part_ids" in entry for entry in entries)


def test_a_declared_kind_that_is_declared_no_more_still_tells_sources_apart() -> None:
    mails = [{"kind": "mail", "messageId": name, "thread": None} for name in ("m-1", "m-2", "m-1")]
    entries = cited_sources(part(f"{at}", target=mail) for at, mail in enumerate(mails))
    assert [entry.get("data_part_ids") for entry in entries] == [["0", "2"], None]
