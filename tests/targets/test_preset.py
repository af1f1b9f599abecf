import pytest

from citestream.targets import DeclaredKind
from citestream.targets.preset import DeclaredRow, PathRow

ANY = DeclaredKind("any", ())


@pytest.mark.parametrize(
    ("row", "path", "tail"),
    [
        (PathRow("a/", "<path>", "analysis"), "a/b/c", "b/c"),
        (PathRow("a/", "<path>", "analysis"), "a/", None),
        (PathRow("a/", "<path>", "analysis"), "b/a/c", None),
        (PathRow("a", "", "analysis"), "a", ""),
        (PathRow("a", "", "analysis"), "a/", None),
        (PathRow("a/", "<ticker>", "market_data"), "a/", ""),
        (PathRow("a/", "<ticker>", "market_data"), "a", None),
    ],
)
def test_row_fits_a_path(row: PathRow, path: str, tail: str | None) -> None:
    assert row.tail(path) == tail


@pytest.mark.parametrize(
    ("segments", "path", "fields"),
    [
        (("mail", "<id>"), "mail/m-17", {"id": "m-17"}),
        (("mail", "<id>"), "mail/m%2F18%20", {"id": "m/18 "}),
        (("mail", "<id>"), "mail/m?x#y", {"id": "m?x#y"}),
        (("mail", "<id>"), "mail/", None),
        (("mail", "<id>"), "mail", None),
        (("mail", "<id>"), "mail/a/b", None),
        (("mail", "<id>"), "Mail/a", None),
        (("mail", "<id>"), "mail/%FF", {"id": b"%FF"}),
        (("<a>", "x", "<b>"), "1/x/2", {"a": "1", "b": "2"}),
        (("<a>", "x", "<b>"), "1/y/2", None),
        (("files", "<path>"), "files/a/b%20c/", {"path": "a/b c/"}),
        (("files", "<path>"), "files/", None),
        (("<id>", "<path>"), "a/b/c", {"id": "a", "path": "b/c"}),
        (("index",), "index", {}),
        (("index",), "index/", None),
        (("index", ""), "index/", {}),
    ],
)
def test_declared_row_fits_a_path(
    segments: tuple[str, ...], path: str, fields: dict[str, object] | None
) -> None:
    assert DeclaredRow(segments, ANY).fields(path) == fields
