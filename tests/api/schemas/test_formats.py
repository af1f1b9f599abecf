"""The table of formats as it is shown is the table as it is."""

from citestream.api.schemas.formats import FormatTable
from citestream.service.formats import table


def test_the_table_is_shown_whole() -> None:
    shown = FormatTable.model_validate({"formats": table()})
    assert [one.model_dump() for one in shown.formats] == table()
