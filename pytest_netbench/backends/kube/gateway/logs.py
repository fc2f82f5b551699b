"""Logs of containers, as ``kubectl logs`` asks for them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from datetime import datetime
from typing import Final

from aiohttp import web

from pytest_netbench.backends.kube.gateway.answers import is_asked, status
from pytest_netbench.backends.kube.machine.logs import Line, Log
from pytest_netbench.backends.kube.machine.podrun import AnyContainer, PodRun
from pytest_netbench.errors import LabError

_FOLLOW_S: Final = 0.2


async def serve(request: web.BaseRequest, run: PodRun, container: AnyContainer) -> web.StreamResponse:
    """Answer with the log of a container, and go on with what it writes if that is asked for."""
    query = request.query
    name, pod = container.spec["name"], run.pod["metadata"]["name"]
    if is_asked(query, "previous"):
        if container.previous is None:
            why = f'previous terminated container "{name}" in pod "{pod}" not found'
            return status(400, "BadRequest", why)
        log = container.previous
    else:
        await container.refresh()
        log = container.log
    try:
        lines = _chosen(log.after(0), query)
        limit = int(query.get("limitBytes", "0"))
    except ValueError as error:
        return status(400, "BadRequest", f"{error}")
    stamps = is_asked(query, "timestamps")
    text = _text(lines, stamps=stamps)
    response = web.StreamResponse(headers={"Content-Type": "text/plain"})
    await response.prepare(request)
    await response.write(text[:limit] if limit else text)
    if is_asked(query, "follow") and log is container.log and not (limit and len(text) >= limit):
        await _follow(request, response, container, log, stamps=stamps)
    await response.write_eof()
    return response


def _chosen(lines: list[Line], query: Mapping[str, str]) -> list[Line]:
    since = 0.0
    if (seconds := query.get("sinceSeconds")) is not None:
        since = time.time() - int(seconds)
    elif (moment := query.get("sinceTime")) is not None:
        since = datetime.fromisoformat(moment).timestamp()
    found = [line for line in lines if line.moment >= since]
    if (tail := query.get("tailLines")) is not None:
        found = found[-int(tail) :] if int(tail) else []
    return found


def _text(lines: list[Line], *, stamps: bool) -> bytes:
    return b"".join(line.stamped() if stamps else line.text for line in lines)


async def _follow(
    request: web.BaseRequest, response: web.StreamResponse, container: AnyContainer, log: Log, *, stamps: bool
) -> None:
    """Send what is written until the container is another one or has ended, or the client is gone."""
    sent = log.end
    while request.transport is not None and not request.transport.is_closing():
        over = container.log is not log or container.state.kind == "terminated"
        try:
            await container.refresh()
        except LabError:  # the pod is gone
            return
        if log.end > sent:
            lines, sent = log.after(sent), log.end
            await response.write(_text(lines, stamps=stamps))
        if over:
            return
        await asyncio.sleep(_FOLLOW_S)
