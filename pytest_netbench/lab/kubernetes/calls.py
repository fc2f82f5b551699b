"""The record of calls that the program of a pod writes. Pure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from pytest_netbench.lab.kubernetes.pod.caller import CALLS, KEPT_CALLS
from pytest_netbench.platforms.capabilities import MadeCall

FILE = CALLS
"""Where it is in a pod."""


def parse(text: str) -> Sequence[MadeCall]:
    """Return the calls of a record, at most so many as a program keeps; none of a text that is no record."""
    try:
        return [_call(*one) for one in json.loads(text)[-KEPT_CALLS:]]
    except (ValueError, TypeError, KeyError):
        return ()


def _call(began: Any, url: Any, status: Any, total_ms: Any, problem: Any) -> MadeCall:
    return MadeCall(float(began), str(url), None if status is None else int(status), float(total_ms), problem or None)
