"""Commands in pods, over a websocket to the API."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

import aiohttp

from pytest_netbench.errors import LabError
from pytest_netbench.lab.kubernetes.client import POD, Api
from pytest_netbench.platforms.access import Completed

_PROTOCOLS: Final = ("v5.channel.k8s.io", "v4.channel.k8s.io")
_STDOUT, _STDERR, _ERROR = 1, 2, 3
_FAILED: Final = 126


async def run(
    api: Api, namespace: str, pod: str, argv: Sequence[str], *, timeout_s: float, most: int = 1 << 20
) -> Completed:
    """Run a command in the first container of a pod.

    Args:
        api: The API.
        namespace: Of the pod.
        pod: Its name.
        argv: The command.
        timeout_s: It may take so long; what still runs then is left alone.
        most: Bytes of each stream that are kept.

    Raises:
        LabError: The API refuses it, or the connection breaks.
    """
    query = [("stdout", "true"), ("stderr", "true"), *(("command", word) for word in argv)]
    taken: dict[int, bytearray] = {_STDOUT: bytearray(), _STDERR: bytearray(), _ERROR: bytearray()}
    try:
        async with asyncio.timeout(timeout_s):
            async with api.session.ws_connect(
                api.url + POD.path(namespace, pod, "exec"), params=query, protocols=_PROTOCOLS, max_msg_size=0
            ) as socket:
                async for message in socket:
                    if message.type == aiohttp.WSMsgType.BINARY and message.data and message.data[0] in taken:
                        taken[message.data[0]] += message.data[1:]
    except TimeoutError:
        return _completed(taken, most, returncode=_FAILED, timed_out=True)
    except (aiohttp.ClientError, OSError) as error:
        raise LabError(f"no command can be run in pod {namespace}/{pod}: {error}") from error
    return _completed(taken, most, returncode=_status(bytes(taken[_ERROR])))


def _completed(taken: Mapping[int, bytearray], most: int, *, returncode: int, timed_out: bool = False) -> Completed:
    out, err = (bytes(taken[one]) for one in (_STDOUT, _STDERR))
    return Completed(
        stdout=out[:most].decode(errors="replace"),
        stderr=err[:most].decode(errors="replace"),
        returncode=returncode,
        truncated=max(len(out), len(err)) > most,
        timed_out=timed_out,
    )


def _status(text: bytes) -> int:
    try:
        found: Mapping[str, Any] = json.loads(text)
    except ValueError:
        return _FAILED
    if found.get("status") == "Success":
        return 0
    for cause in (found.get("details") or {}).get("causes") or ():
        if cause.get("reason") == "ExitCode":
            return int(cause["message"])
    return _FAILED
