"""What messages and artifacts of A2A contain: texts and JSON objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from a2a.helpers import get_data_parts, get_text_parts, new_data_part, new_text_part
from a2a.types import Part

from pytest_netbench.text import encodable


def text_of(parts: Sequence[Part]) -> str:
    """The texts of ``parts``, one below the other."""
    return "\n".join(get_text_parts(parts))


def objects_of(parts: Sequence[Part]) -> list[dict[str, Any]]:
    """The JSON objects among the data of ``parts``."""
    return [_whole(value) for value in get_data_parts(parts) if isinstance(value, dict)]


def text_part(text: str) -> Part:
    """A text."""
    return new_text_part(encodable(text))


def data_part(value: dict[str, Any]) -> Part:
    """A JSON object."""
    return new_data_part(_encodable(value), media_type="application/json")


def _whole(value: Any) -> Any:
    """``value`` with whole numbers as integers: the wire format has one kind of number."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {key: _whole(one) for key, one in value.items()}
    return [_whole(one) for one in value] if isinstance(value, list) else value


def _encodable(value: Any) -> Any:
    if isinstance(value, str):
        return encodable(value)
    if isinstance(value, dict):
        return {encodable(key): _encodable(one) for key, one in value.items()}
    return [_encodable(one) for one in value] if isinstance(value, list | tuple) else value
