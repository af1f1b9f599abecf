"""The application: one document, and bodies of streams that pass by what looks at heads alone."""

from typing import Any

from citestream.api.application import Application
from citestream.api.transport.cors import Cors
from citestream.api.transport.direct_send import DirectSend


class Unknown:
    """A middleware that may look at bodies."""

    def __init__(self, app: Any) -> None:
        self.app = app


def test_the_document_is_made_once() -> None:
    app = Application()
    assert app.openapi() is app.openapi()


def test_bodies_pass_by_our_own_middlewares_and_by_no_others() -> None:
    app = Application()
    app.add_middleware(Cors, origins=["https://example.org"])
    assert isinstance(app.build_middleware_stack(), DirectSend)
    app.add_middleware(Unknown)
    assert not isinstance(app.build_middleware_stack(), DirectSend)
