"""Durations in IOS's formats."""

from __future__ import annotations

_DAY, _WEEK, _YEAR = 86_400, 604_800, 31_449_600


def elapsed(seconds: float) -> str:
    """Return ``00:01:05`` within a day, then ``1d02h``, ``2w3d``, ``1y5w``."""
    whole = int(seconds)
    if whole < _DAY:
        return f"{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02}"
    if whole < _WEEK:
        return f"{whole // _DAY}d{whole % _DAY // 3600:02}h"
    if whole < _YEAR:
        return f"{whole // _WEEK}w{whole % _WEEK // _DAY}d"
    return f"{whole // _YEAR}y{whole % _YEAR // _WEEK}w"


def clock(seconds: float) -> str:
    """Return ``00:01:02``, from a day on ``1d02h``, from a week on ``2w3d``; negative durations are 0."""
    whole = max(0, int(seconds))
    if whole >= 7 * 86400:
        return f"{whole // (7 * 86400)}w{whole // 86400 % 7}d"
    if whole >= 86400:
        return f"{whole // 86400}d{whole // 3600 % 24:02d}h"
    return f"{whole // 3600:02d}:{whole // 60 % 60:02d}:{whole % 60:02d}"
