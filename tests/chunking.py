"""Ways to cut a text into deltas; every reading test is fed whole and in pieces."""

from collections.abc import Iterator


def one_by_one(text: str) -> list[str]:
    return list(text)


def cut_in_two(text: str) -> Iterator[list[str]]:
    for at in range(len(text) + 1):
        yield [text[:at], text[at:]]


def every_cut(text: str) -> Iterator[list[str]]:
    """The whole text, its characters, and the text cut in two at every place."""
    yield [text]
    yield one_by_one(text)
    yield from cut_in_two(text)
