"""Keeps the trace of a trial: plain JSON values only, bounded in size."""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping
from typing import Any, Final, Literal

from pytest_netbench.model.trial import Step
from pytest_netbench.text import clean

MAX_ANSWER_BYTES: Final = 65_536
MAX_DEPTH = 32
MAX_KEY = 256
MAX_STRING = 131_072
MAX_STRING_WHEN_LONG = 1_024
LONG_TRACE = 32 * 2**20
MAX_TRACE = 64 * 2**20


class Recorder:
    """Collects steps. A string longer than ``MAX_STRING`` is cut.

    Args:
        long_trace: Once the trace holds so many characters, further strings are kept short.
        max_trace: Past so many, steps are counted but not kept.
    """

    def __init__(self, *, long_trace: int = LONG_TRACE, max_trace: int = MAX_TRACE) -> None:
        self._long_trace = long_trace
        self._max_trace = max_trace
        self._steps: list[Step] = []
        self._size = 0
        self._lock = threading.Lock()
        self._dropped = 0

    def add(self, kind: Literal["ani", "completion", "note"], data: Mapping[str, Any], *, at_s: float) -> None:
        """Append a step."""
        with self._lock:
            if self._size > self._max_trace:
                self._dropped += 1
                return
            limit = MAX_STRING if self._size < self._long_trace else MAX_STRING_WHEN_LONG
            plain, size = _plain(data, limit)
            self._size += size
            self._steps.append(Step(at_s=round(at_s, 6), kind=kind, data=plain))

    @property
    def steps(self) -> tuple[Step, ...]:
        """The trace so far, in the order the steps ended."""
        with self._lock:
            if not self._dropped:
                return tuple(self._steps)
            text = f"{self._dropped} further steps were not kept: the trace is longer than {self._max_trace} characters"
            return (*self._steps, Step(at_s=self._steps[-1].at_s, kind="note", data={"text": text}))


def clip(text: str, limit: int, advice: str = "") -> str:
    """``text`` cut to ``limit`` bytes of UTF-8, with a last line that says so."""
    raw = text.encode(errors="replace")
    if len(raw) <= limit:
        return text
    kept = raw[:limit].decode(errors="ignore")
    return f"{kept}\n[netbench: cut here, {len(raw) - limit} of {len(raw)} bytes left out{advice}]"


def _plain(value: Any, limit: int, depth: int = 0) -> tuple[Any, int]:
    """Return ``value`` in JSON types, and its approximate number of characters."""
    if value is None or isinstance(value, bool | int) or (isinstance(value, float) and math.isfinite(value)):
        return value, 8
    if isinstance(value, Mapping) and depth < MAX_DEPTH:
        pairs = {clip(clean(str(key)), MAX_KEY): _plain(one, limit, depth + 1) for key, one in value.items()}
        return {key: one for key, (one, _) in pairs.items()}, sum(len(key) + size for key, (_, size) in pairs.items())
    if isinstance(value, list | tuple) and depth < MAX_DEPTH:
        items = [_plain(one, limit, depth + 1) for one in value]
        return [one for one, _ in items], 8 + sum(size for _, size in items)
    if isinstance(value, Mapping | list | tuple):
        return "[netbench: nested too deeply]", 32
    text = clip(clean(value if isinstance(value, str) else str(value)), limit)
    return text, len(text)
