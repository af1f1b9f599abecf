"""The application: one document, its layers, and what bodies of streams pass by."""

from typing import Any

from starlette.types import ASGIApp

from citestream.api.application import Application
from citestream.api.transport.direct_send import DirectSend
from citestream.targets import shipped_preset


class Layer:
    """A layer around an application."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, *arguments: Any) -> None:
        await self.app(*arguments)


class Inner(Layer):
    """Another one."""


def test_the_document_is_made_once() -> None:
    app = Application()
    app.state.preset = shipped_preset()
    assert app.openapi() is app.openapi()


def test_layers_are_put_around_from_the_inside_out() -> None:
    outer = Application(around=[Inner, Layer]).build_middleware_stack()
    assert isinstance(outer, DirectSend)
    assert isinstance(outer.app, Layer)
    assert isinstance(outer.app.app, Inner)


def test_a_middleware_that_somebody_adds_sees_all_bodies() -> None:
    app = Application(around=[Layer])
    app.add_middleware(Inner)
    assert isinstance(app.build_middleware_stack(), Layer)
