"""Answers in the API's own form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from aiohttp import web

_TRUE: Final = ("1", "t", "true")


def status(code: int, reason: str, message: str) -> web.Response:
    """A refusal as the API server writes it."""
    body = {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": message,
        "reason": reason,
        "code": code,
    }
    return web.json_response(body, status=code)


def is_asked(query: Mapping[str, str], name: str) -> bool:
    """Whether a parameter is true, however a client writes that: the Python client begins it with a capital letter."""
    return query.get(name, "").lower() in _TRUE
