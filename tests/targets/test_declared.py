import pytest

from citestream.targets import DeclaredField, DeclaredKind, DeclaredTarget

PAGE = "https://cal.example.org/e1"
EVENT = DeclaredKind(
    "event", (DeclaredField("eventId", "string"), DeclaredField("url", "url", nullable=True))
)


@pytest.mark.parametrize(
    ("field", "value", "accepted"),
    [
        (DeclaredField("a", "string"), "x", True),
        (DeclaredField("a", "string"), "\U0001f4c5" * 2048, True),
        (DeclaredField("a", "string"), "x" * 2049, False),
        (DeclaredField("a", "string"), "", False),
        (DeclaredField("a", "string"), None, False),
        (DeclaredField("a", "string"), 7, False),
        (DeclaredField("a", "string"), "\ud83d", False),
        (DeclaredField("a", "string", nullable=True), None, True),
        (DeclaredField("a", "string", nullable=True), "", False),
        (DeclaredField("a", "url"), PAGE, True),
        (DeclaredField("a", "url"), "javascript:alert(1)", False),
        (DeclaredField("a", "url"), [PAGE], False),
        (DeclaredField("a", "url", nullable=True), None, True),
    ],
)
def test_what_a_field_may_be(field: DeclaredField, value: object, accepted: bool) -> None:
    assert field.accepts(value) is accepted


def test_fields_are_read_in_the_order_declared_and_others_dropped() -> None:
    read = EVENT.read({"url": PAGE, "from": "x", "eventId": "e1"})
    assert read == DeclaredTarget(kind="event", fields=(("eventId", "e1"), ("url", PAGE)))


def test_missing_field_is_null_where_it_may_be() -> None:
    assert EVENT.read({"eventId": "e1"}) == EVENT.read({"eventId": "e1", "url": None})
    assert EVENT.read({"url": PAGE}) is None
