"""Numbers as people read them. A dash is what was not measured."""

from __future__ import annotations

from collections.abc import Mapping

NOTHING = "\N{EN DASH}"


def score(value: float | None) -> str:
    """``0.83``. Only a true 1 reads ``1.00`` and only a true 0 ``0.00``."""
    if value is None:
        return NOTHING
    if 0 < value < 1:
        value = min(max(value, 0.01), 0.99)
    return f"{value:.2f}"


def counted(numbers: Mapping[str, int]) -> str:
    """``command 4, device 1``."""
    return ", ".join(f"{name} {number}" for name, number in sorted(numbers.items()))


def money(dollars: float | None) -> str:
    """``$0.012``, ``$1.20``, ``$120``, ``$12.3k``; at most 6 characters below $100T."""
    if dollars is None:
        return NOTHING
    if dollars < 0.0995:
        return f"${dollars:.3f}"
    if dollars < 99.995:
        return f"${dollars:.2f}"
    return f"${count(round(dollars))}"


def count(number: int) -> str:
    """``950``, ``12.3k``, ``123k``, ``4.5M``; rounded to one decimal below 100 of a unit and to none above.

    At most 5 characters below 10^17.
    """
    if number < 1_000:
        return str(number)
    scaled, units = number / 1_000, "kMGTP"
    while scaled >= 999.5 and len(units) > 1:
        scaled, units = scaled / 1_000, units[1:]
    return f"{scaled:.1f}{units[0]}" if scaled < 99.95 else f"{scaled:.0f}{units[0]}"


def seconds(duration: float) -> str:
    """``0.42s``, ``12.3s``, ``4m05s``, ``2h03m``, ``3d04h``, ``120d``; at most 6 characters below 100,000 days."""
    if duration < 9.995:
        return f"{duration:.2f}s"
    if duration < 59.95:
        return f"{duration:.1f}s"
    minutes, rest = divmod(round(duration), 60)
    if minutes < 60:
        return f"{minutes}m{rest:02d}s"
    hours, minutes = divmod(minutes, 60)
    if hours < 100:
        return f"{hours}h{minutes:02d}m"
    days, hours = divmod(hours, 24)
    return f"{days}d{hours:02d}h" if days < 100 else f"{days}d"


def clipped(text: str, width: int) -> str:
    """``text`` on one line of at most ``width`` characters."""
    return cut(" ".join(text.split()), width)


def cut(text: str, width: int) -> str:
    """``text`` on one line, with its spaces, of at most ``width`` characters."""
    line = " ".join(text.expandtabs(4).splitlines())
    return line if len(line) <= width else line[: max(width - 1, 0)] + "…"


def several(number: int, noun: str) -> str:
    """``1 call``, ``2 calls``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
