"""Places for terminal excerpts."""

from citestream.context.legacy.placeholders import PLACEHOLDER, place_terminals


def record(id_: str, terminal: str, first: int, last: int) -> dict:
    return {"contextId": id_, "terminalId": terminal, "lineStart": first, "lineEnd": last}


TERMINALS = [record("a", "sh", 1, 1), record("b", "sh", 1, 2), record("c", "sh", 1, 1)]
LINKS = {"a": "[A]", "b": "[B]", "c": "[C]"}


def place(*prose: str) -> tuple[list[str], list[str]]:
    placed = place_terminals(prose, TERMINALS, LINKS)
    return placed.prose, [record["contextId"] for record in placed.waiting]


def test_labels_match_whole_ranges_and_each_record_once() -> None:
    assert place("@sh:1-2 @sh:1", "@sh:1 @sh:1") == (["[B] [A]", "[C] @sh:1"], [])


def test_placeholders_come_first_and_go_on_across_pieces() -> None:
    assert place(f"@sh:1 {PLACEHOLDER}", f"{PLACEHOLDER} @sh:1-2") == (
        ["[C] [A]", "[B] @sh:1-2"],
        [],
    )


def test_one_placeholder_too_many_goes() -> None:
    assert place(PLACEHOLDER * 4) == (["[A][B][C]"], [])


def test_combining_marks_are_part_of_a_word() -> None:
    assert place("e\u0301@sh:1 @sh:1\u0301 @sh:1-2.e\u0301") == (
        ["e\u0301@sh:1 @sh:1\u0301 @sh:1-2.e\u0301"],
        ["a", "b", "c"],
    )


def test_a_terminal_whose_name_has_a_port() -> None:
    terminals = [record("a", "localhost:3000", 5, 9), record("b", "localhost", 3000, 3000)]
    placed = place_terminals(["@localhost:3000:5-9 (@localhost:3000)"], terminals, LINKS)
    assert (placed.prose, placed.waiting) == (["[A] ([B])"], [])


def test_labels_and_placeholders_far_into_a_text() -> None:
    padding = "@sh:1." * 20_000
    placed = place_terminals([f"{padding} x @sh:1-2 {PLACEHOLDER}"], TERMINALS[:2], LINKS)
    assert placed.prose == [f"{padding} x [B] [A]"]
    assert placed.waiting == []
