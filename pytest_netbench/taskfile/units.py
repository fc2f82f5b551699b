"""Parsing of quantities: ``10ms``, ``2mbit``, ``1%``, ``af41``. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from pytest_netbench.dialects.markings import DSCP
from pytest_netbench.documents import durations
from pytest_netbench.documents.problems import hint

DURATION: Final = r"^([0-9]+(\.[0-9]+)?\s*(ms|s|m|h)\s*)+$"
RATE: Final = r"^[0-9]+(\.[0-9]+)?\s*([kKmMgG]|([kmgKMG]?bit(/s)?)|[kKmMgG]?bps)$"
SHARE: Final = r"^[0-9]+(\.[0-9]+)?\s*%$"

_NUMBER: Final = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,15})?)\s*([A-Za-z/%]*)")
_PARTS: Final = re.compile(r"[0-9]\s*[A-Za-z]")
_SECONDS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_BITS: Final = {"": 1, "k": 1_000, "m": 1_000_000, "g": 1_000_000_000}


def seconds(value: Any) -> float:
    """Seconds of ``30s``, ``2m``, ``1h30m``, ``500ms``, or of a bare number of seconds."""
    return _duration(value, bare="s")


def milliseconds(value: Any) -> float:
    """Milliseconds of ``10ms`` or ``0.5s``; a bare number is refused, as it could mean either."""
    return round(_duration(value, bare=None) * 1000, 9)


def bits_per_second(value: Any) -> int:
    """Bits per second of ``500kbit``, ``2mbit``, ``1.5M``, or of a bare number of bit/s. Prefixes are decimal."""
    number, unit = _split(value, "a rate such as 500kbit, 2mbit or 1.5M")
    short = unit.lower().removesuffix("/s").removesuffix("bit").removesuffix("bps")
    if short not in _BITS:
        raise ValueError(f"unknown unit {unit!r} of a rate (known: bit, kbit, mbit, gbit, k, M, G)")
    return round(number * _BITS[short])


def share(value: Any) -> float:
    """A fraction 0…1 of ``1%``, or of a bare fraction."""
    number, unit = _split(value, "a share such as 1% or 0.01")
    if unit not in {"", "%"}:
        raise ValueError(f"unknown unit {unit!r} of a share (known: %)")
    result = number / 100 if unit else number
    if result > 1:
        raise ValueError(f"{value!r} is more than the whole; write 1% or 0.01 for one in a hundred")
    return result


def dscp(value: Any) -> int:
    """The code point of ``ef``, ``af41``, ``cs1``, or of a number 0…63."""
    if isinstance(value, int) and not isinstance(value, bool):
        if not 0 <= value <= 63:
            raise ValueError(f"{value} is no DSCP (0 to 63)")
        return value
    if isinstance(value, str) and value.strip().lower() in DSCP:
        return DSCP[value.strip().lower()]
    raise ValueError(f"{value!r} is no DSCP (0 to 63, ef, af11 … af43, cs0 … cs7, default).{hint(str(value), DSCP)}")


def _duration(value: Any, *, bare: str | None) -> float:
    if isinstance(value, str) and len(_PARTS.findall(value)) > 1:
        return durations.seconds(value)
    number, unit = _split(value, "a duration such as 30s, 2m or 500ms")
    unit = unit.lower() or bare or ""
    if unit not in _SECONDS:
        what = f"unknown unit {unit!r}" if unit else "the unit is missing"
        raise ValueError(f"{value!r}: {what} (known: ms, s, m, h)")
    return number * _SECONDS[unit]


def _split(value: Any, what: str) -> tuple[float, str]:
    if isinstance(value, int | float) and not isinstance(value, bool):
        if value < 0 or not math.isfinite(value):
            raise ValueError(f"{value!r} is not {what}")
        return value, ""
    match = _NUMBER.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        raise ValueError(f"{value!r} is not {what}")
    return float(match[1]), match[2]


@dataclass(frozen=True, kw_only=True)
class Quantity:
    """How one field of the model is written in a file: its name there, how it is read, its JSON Schema."""

    name: str
    read: Callable[[Any], Any]
    schema: dict[str, Any]


def _either(pattern: str, example: str, **bounds: float) -> dict[str, Any]:
    number = {"type": "number", "minimum": 0, **bounds}
    return {"anyOf": [{"type": "string", "pattern": pattern}, number], "examples": [example]}


_LATENCY: Final = {"type": "string", "pattern": DURATION, "examples": ["10ms"]}
_CODE_POINT: Final = {
    "anyOf": [
        {"type": "integer", "minimum": 0, "maximum": 63},
        {"enum": [*DSCP, *(name.upper() for name in DSCP)]},
    ]
}
_WITHIN: Final = _either(DURATION, "30s")
_RATE: Final = _either(RATE, "2mbit")

QUANTITIES: Final[MappingProxyType[str, Quantity]] = MappingProxyType(
    {
        "within_s": Quantity(name="within", read=seconds, schema=_WITHIN),
        "stays_s": Quantity(name="stays", read=seconds, schema=_WITHIN),
        "at_most_s": Quantity(name="at_most", read=seconds, schema=_WITHIN),
        "duration_s": Quantity(name="duration", read=seconds, schema=_WITHIN),
        "warmup_s": Quantity(name="warmup", read=seconds, schema=_WITHIN),
        "wall_s": Quantity(name="wall", read=seconds, schema=_WITHIN),
        "lab_s": Quantity(name="lab", read=seconds, schema=_WITHIN),
        "deadline_s": Quantity(name="deadline", read=seconds, schema=_WITHIN),
        "rate_bps": Quantity(name="rate", read=bits_per_second, schema=_RATE),
        "expected_bps": Quantity(name="expected_rate", read=bits_per_second, schema=_RATE),
        "min_bps": Quantity(name="min_rate", read=bits_per_second, schema=_RATE),
        "max_bps": Quantity(name="max_rate", read=bits_per_second, schema=_RATE),
        "delay_ms": Quantity(name="delay", read=milliseconds, schema=_LATENCY),
        "jitter_ms": Quantity(name="jitter", read=milliseconds, schema=_LATENCY),
        "loss": Quantity(name="loss", read=share, schema=_either(SHARE, "1%", maximum=1)),
        "tolerance": Quantity(name="tolerance", read=share, schema=_either(SHARE, "10%", exclusiveMaximum=1)),
        "dscp": Quantity(name="dscp", read=dscp, schema=_CODE_POINT),
        "sent_dscp": Quantity(name="sent_dscp", read=dscp, schema=_CODE_POINT),
        "expected_dscp": Quantity(name="expected_dscp", read=dscp, schema=_CODE_POINT),
    }
)
"""Fields of the model that a file writes with a unit or a name, by the model's name."""
