"""Answers in the API's own form."""

from __future__ import annotations

from aiohttp import web


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
