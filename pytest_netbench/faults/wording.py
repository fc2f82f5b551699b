"""Words that explanations of faults share."""

from __future__ import annotations

import inspect
from collections.abc import Sequence


def about(fault: object) -> str:
    """The first sentence of what a fault says of its kind."""
    said = getattr(fault, "about", None)
    if isinstance(said, str):
        return said
    return (inspect.getdoc(fault) or "Something is wrong.").partition("\n")[0].replace("``", "`")


def listed(words: Sequence[str], last: str = "and") -> str:
    """``a``, ``a and b``, or ``a, b and c``."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"


def cut_off(node: str) -> str:
    """What follows for hosts that have lost their router."""
    return f"The hosts behind it reach neither {node} nor other subnets, and are not reached from there."
