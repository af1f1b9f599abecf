"""The queue of what may not be sent yet: order, and nothing kept without need."""

from dataclasses import dataclass

from citestream.wire.formats.send_queue import SendQueue


@dataclass
class Later:
    says: bytes
    waiting: bool = True

    def waits(self) -> bool:
        return self.waiting

    def made(self) -> bytes:
        return self.says


def test_nothing_waits_without_need() -> None:
    queue = SendQueue()
    assert queue.send(b"a") == b"a"
    assert queue.send(Later(b"b", waiting=False)) == b"b"
    assert queue.send() == b""


def test_what_follows_a_waiting_event_waits_with_it() -> None:
    queue = SendQueue()
    first, second = Later(b"a"), Later(b"c")
    assert queue.send(first) + queue.send(b"b") + queue.send(second) + queue.send(b"d") == b""
    first.waiting = False
    assert queue.send() == b"ab"
    second.waiting = False
    assert queue.send(b"e") == b"cde"
    assert queue.send(b"f") == b"f"
