r"""Cleaning of texts of agents, models and devices: control characters become visible escapes, numbers valid JSON.

Owns which characters may reach a terminal, XML, JSON or a page. The models of a trial's record pass their
texts through ``clean`` (``model.base.Recorded``). Other code that prints foreign text must call it.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

MAX_DEPTH = 32

# C0 but tab and newline, DEL and C1; line separators; bidirectional controls; surrogates; noncharacters
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff"
    + "".join(chr(plane + last) for plane in range(0x10000, 0x110000, 0x10000) for last in (0xFFFE, 0xFFFF))
    + "]"
)
_SURROGATE = re.compile("[\ud800-\udfff]")


def clean(text: str) -> str:
    r"""Return ``text`` with every character that a terminal, XML or a page could act on written as an escape.

    ``ESC`` becomes ``\x1b``, ``U+202E`` becomes ``\u202e``, a lone surrogate ``\ud800``. Tabs and newlines stay, and a
    carriage return before a newline is a line end. Nothing else is changed, and cleaning twice changes nothing.
    """
    if _UNSAFE.search(text) is None:
        return text
    return _UNSAFE.sub(_escape, text.replace("\r\n", "\n"))


def clean_all(value: Any) -> Any:
    """Return ``value`` with every text in its dicts, lists and tuples cleaned, keys included."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, Mapping):
        return {clean(key) if isinstance(key, str) else key: clean_all(one) for key, one in value.items()}
    if type(value) in {list, tuple}:
        return type(value)(clean_all(one) for one in value)
    return value


def as_plain(value: Any, depth: int = 0) -> Any:
    """Return ``value`` in JSON types: unknown types become text, and values nested too deeply become a remark."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if not isinstance(value, Mapping | list | tuple):
        return str(value)
    if depth >= MAX_DEPTH:
        return "[netbench: nested too deeply]"
    if isinstance(value, Mapping):
        return {str(key): as_plain(one, depth + 1) for key, one in value.items()}
    return [as_plain(one, depth + 1) for one in value]


def encodable(text: str) -> str:
    """Return ``text`` with lone surrogates, which UTF-8 cannot encode, as visible escapes; all else unchanged."""
    return _SURROGATE.sub(_escape, text)


def plain_json(value: Any, *, indent: int | None = None) -> str:
    """Return ``value`` as JSON text with keys in a fixed order, so that equal values are equal text.

    ``nan`` and the infinities, which JSON does not have, become ``null``; lone surrogates become visible escapes.
    """
    try:
        text = _dumped(value, indent)
    except (TypeError, ValueError):  # nearly all values are as JSON wants them, and a copy of each is slow
        text = _dumped(_finite(value), indent)
    return _SURROGATE.sub(lambda match: "\\" + _escape(match), text)


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _dumped(value: Any, indent: int | None) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, indent=indent, allow_nan=False)


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    return value


def listed(words: Sequence[str], last: str = "and") -> str:
    """``a``, ``a and b``, or ``a, b and c``."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"
