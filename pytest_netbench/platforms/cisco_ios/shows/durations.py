"""Spans of time as IOS writes them."""

from __future__ import annotations

_DAY, _WEEK, _YEAR = 86_400, 604_800, 31_449_600


def elapsed(seconds: float) -> str:
    """``00:01:05`` within a day, then ``1d02h``, ``2w3d``, ``1y5w``."""
    whole = int(seconds)
    if whole < _DAY:
        return f"{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02}"
    if whole < _WEEK:
        return f"{whole // _DAY}d{whole % _DAY // 3600:02}h"
    if whole < _YEAR:
        return f"{whole // _WEEK}w{whole % _WEEK // _DAY}d"
    return f"{whole // _YEAR}y{whole % _YEAR // _WEEK}w"
