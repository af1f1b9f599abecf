"""The last sentence: UAX 29 and its exceptions, against the slow reference and by example."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.claims import reference

from citestream.claims.characters import Passage, classify
from citestream.claims.sentences import Sentence

PIECES = st.lists(
    st.sampled_from(
        [*'aAb.!?…,:-–()"“”* _~5中。 \u2028\u0301\u200d', ". ", "Dr. ", "z. B. ", "3. Mai "]
    ),
    max_size=25,
).map("".join)


def current(text: str, *cuts: int) -> int:
    sentence = Sentence()
    passage = Passage(text, classify(text), 0)
    places = [0, *sorted(cuts), len(text)]
    for at, stop in pairwise(places):
        sentence.feed(passage, at, stop)
    return sentence.current()


@settings(max_examples=1000, deadline=None)
@given(PIECES, st.lists(st.integers(0, 25), max_size=4))
def test_the_machine_agrees_with_the_reference(text: str, cuts: list[int]) -> None:
    text = text.strip()
    cuts = [min(cut, len(text)) for cut in cuts]
    assert current(text, *cuts) == (reference.sentence_start(text, len(text)) if text else 0)


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("One. Two", "Two"),
        ("Is it? Yes! It is", "It is"),
        ("Why? because", "Why? because"),
        ("It rose 2.5 points", "It rose 2.5 points"),
        ("In the U.S. Army", "In the U.S. Army"),
        ("Dr. Smith", "Dr. Smith"),
        ("**Dr.** Smith", "**Dr.** Smith"),
        ("Dr. **Smith**", "Dr. **Smith**"),
        ("Das gilt z. B. Hunden", "Das gilt z. B. Hunden"),
        ("Das gilt z.\xa0B. Hunden", "Das gilt z.\xa0B. Hunden"),
        ("Im Jahr 44 v. Chr. starb er", "Im Jahr 44 v. Chr. starb er"),
        ("Am 3. Mai", "Am 3. Mai"),
        ("Am 3. Maier", "Maier"),
        ("Das war 2023. Mai kam", "Mai kam"),
        ("See No. 5", "See No. 5"),
        ("I say no. Five", "Five"),
        ("J. R. R. Tolkien", "J. R. R. Tolkien"),
        ("**Bold.** Next", "Next"),
        ("**Bold.**", "**Bold.**"),
        ("_One._ *Two.* Three", "Three"),
        ("End.*Next* one", "*Next* one"),
        ("(Two is here. Three.)", "Three.)"),
        ("上限。下一句", "下一句"),
        ("等等。”下一句", "下一句"),
        ("One.\u2028two", "One.\u2028two"),
        ("One\u2028Two", "Two"),
        ("etc. (see", "etc. (see"),
        ("", ""),
    ],
)
def test_examples(text: str, last: str) -> None:
    assert text[current(text) :] == last
    assert text[current(text, *range(len(text))) :] == last
