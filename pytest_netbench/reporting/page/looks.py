"""How each agent looks in all drawings of a page: a color and a shape, so that neither alone has to be told apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

COLORS: Final = 6
"""Classes ``a0`` to ``a5`` of the style sheet."""
SHAPES: Final[Mapping[str, str]] = {
    "circle": "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0z",
    "square": "M-4.5-4.5h9v9h-9z",
    "diamond": "M0-6.2L6.2 0L0 6.2L-6.2 0z",
    "triangle": "M0-6L5.8 4.6H-5.8z",
    "cross": "M-1.8-5.5h3.6v3.7h3.7v3.6h-3.7v3.7h-3.6v-3.7h-3.7v-3.6h3.7z",
    "wedge": "M0 6L5.8-4.6H-5.8z",
    "ring": "M-6 0a6 6 0 1 0 12 0a6 6 0 1 0-12 0zM-2.6 0a2.6 2.6 0 1 1 5.2 0a2.6 2.6 0 1 1-5.2 0z",
}
"""Paths around 0, 0. Their number has no divisor in common with that of colors: 42 agents look different."""


@dataclass(frozen=True, kw_only=True)
class Look:
    """A color, by its class in the style sheet, and a shape, by its name."""

    color: str
    shape: str


def looks(agents: Iterable[str]) -> Mapping[str, Look]:
    """Give each agent a look, in the order of their ids."""
    shapes = list(SHAPES)
    return {
        agent: Look(color=f"a{number % COLORS}", shape=shapes[number % len(shapes)])
        for number, agent in enumerate(sorted(agents))
    }
