"""Numbers as people read them. A dash is what was not measured."""

from __future__ import annotations

NOTHING = "\N{EN DASH}"


def score(value: float | None) -> str:
    """``0.83``. Only a true 1 reads ``1.00`` and only a true 0 ``0.00``."""
    if value is None:
        return NOTHING
    if 0 < value < 1:
        value = min(max(value, 0.01), 0.99)
    return f"{value:.2f}"


def money(dollars: float | None) -> str:
    """``$0.012``, ``$1.20``, ``$120``."""
    if dollars is None:
        return NOTHING
    if dollars < 0.1:
        return f"${dollars:.3f}"
    return f"${dollars:.2f}" if dollars < 100 else f"${dollars:.0f}"


def count(number: int) -> str:
    """``950``, ``12.3k``, ``4.5M``."""
    for limit, unit in ((1e3, ""), (1e6, "k"), (1e9, "M")):
        if number < 0.9995 * limit:
            scaled = number / (limit / 1e3)
            return f"{number}" if not unit else f"{scaled:.1f}{unit}" if scaled < 100 else f"{scaled:.0f}{unit}"
    return f"{number / 1e9:.1f}G"


def seconds(duration: float) -> str:
    """``0.42s``, ``12.3s``, ``4m05s``, ``2h03m``."""
    if duration < 9.995:
        return f"{duration:.2f}s"
    if duration < 59.95:
        return f"{duration:.1f}s"
    minutes, rest = divmod(round(duration), 60)
    if minutes < 60:
        return f"{minutes}m{rest:02d}s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours}h{minutes:02d}m"


def clipped(text: str, width: int) -> str:
    """``text`` on one line of at most ``width`` characters."""
    line = " ".join(text.split())
    return line if len(line) <= width else line[: max(width - 1, 0)] + "…"
