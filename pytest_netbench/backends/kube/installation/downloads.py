"""Files of web servers, with their checksums."""

from __future__ import annotations

import hashlib
import http.client
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Final

from pytest_netbench.errors import RequirementMissing

Say = Callable[[str], None]
_ANSWER_S: Final = 30
_CHUNK: Final = 1 << 20
_SAY_EACH_S: Final = 10


class Unreachable(Exception):
    """A server does not answer, or a proxy does not let us through; the text says why."""


def text(url: str) -> str:
    """Return a short file.

    Raises:
        Unreachable: Of that name.
        RequirementMissing: The server has no such file.
    """
    with _opened(url) as answer:
        try:
            return answer.read(_CHUNK).decode("utf-8", "replace")
        except (OSError, http.client.HTTPException) as error:
            raise Unreachable(f"{url}: {error!r}") from error


def fetch(url: str, target: Path, *, sha256: str, say: Say) -> None:
    """Write a file, which must have a checksum.

    Raises:
        Unreachable: The server does not answer, or not to the end.
        RequirementMissing: The server has no such file, or the checksum is another one.
    """
    digest = hashlib.sha256()
    with _opened(url) as answer, target.open("wb") as file:
        size = int(answer.headers.get("Content-Length") or 0)
        said = time.monotonic()
        while chunk := _read(answer, url):
            digest.update(chunk)
            file.write(chunk)
            if time.monotonic() - said > _SAY_EACH_S:
                said = time.monotonic()
                say(f"{target.name}: {file.tell() >> 20} of {size >> 20} MB")
        if size and file.tell() != size:
            raise Unreachable(f"{url}: it ended after {file.tell()} of {size} bytes")
    if digest.hexdigest() != sha256:
        raise RequirementMissing(
            f"{url} has the SHA-256 checksum {digest.hexdigest()}, where {sha256} was published",
            "find out who changed it: a proxy, a mirror or an attacker",
        )


def _read(answer: http.client.HTTPResponse, url: str) -> bytes:
    try:
        return answer.read(_CHUNK)
    except (OSError, http.client.HTTPException) as error:
        raise Unreachable(f"{url}: {error!r}") from error


def _opened(url: str) -> http.client.HTTPResponse:
    try:
        answer: http.client.HTTPResponse = urllib.request.urlopen(url, timeout=_ANSWER_S)  # noqa: S310 - of constants
    except urllib.error.HTTPError as error:
        if error.code == http.client.NOT_FOUND:
            raise RequirementMissing(f"there is no {url}", "name another release: --version") from error
        raise Unreachable(f"{url}: {error}") from error
    except (OSError, http.client.HTTPException) as error:
        raise Unreachable(f"{url}: {getattr(error, 'reason', error)}") from error
    return answer
