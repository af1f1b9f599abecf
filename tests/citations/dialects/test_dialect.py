"""What the engine asks of every dialect in the table."""

import pytest

from citestream.citations import DIALECTS
from citestream.citations.dialects import Dialect


@pytest.mark.parametrize("name", DIALECTS)
class TestEveryDialect:
    def dialect(self, name: str) -> Dialect:
        return DIALECTS[name]

    def test_it_stands_in_the_table_under_its_name(self, name: str) -> None:
        assert self.dialect(name).name == name

    def test_only_its_first_sign_opens_a_candidate(self, name: str) -> None:
        start, *rest = self.dialect(name).head
        assert start not in rest
        assert start not in self.dialect(name).stray_signs

    def test_nothing_is_left_of_a_head_at_the_end(self, name: str) -> None:
        head = self.dialect(name).head
        assert {self.dialect(name).residue(head[:end], "") for end in range(1, len(head))} == {""}
