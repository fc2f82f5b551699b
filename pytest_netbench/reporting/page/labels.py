"""Where labels of interfaces stand: at the line, near their node, and on no other label if there is room."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

LINE: Final = 12.0
CHARACTER: Final = 6.1
"""Height of a line and mean width of a character of 11 pixels."""
_NODE: Final = 15.0
_MARK: Final = 10.0
_DISTANCES: Final = (0.28, 0.22, 0.34, 0.4, 0.16, 0.46, 0.1)
"""From the own node, as shares of the line; earlier ones are preferred."""
_BESIDE: Final = (0.0, 1.0, -1.0, 1.7, -1.7, 2.5, -2.5)
"""From the line, in distances at which a label just does not touch it."""


@dataclass(frozen=True, kw_only=True)
class Point:
    """A place."""

    x: float
    y: float


@dataclass(frozen=True, kw_only=True)
class Label:
    """Lines of text around a place."""

    at: Point
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Box:
    """A rectangle by its middle and half its sides."""

    x: float
    y: float
    half_width: float
    half_height: float

    def overlap(self, other: Box) -> float:
        """The area that both cover."""
        width = self.half_width + other.half_width - abs(self.x - other.x)
        height = self.half_height + other.half_height - abs(self.y - other.y)
        if width <= 0 or height <= 0:
            return 0.0
        wide = min(width, 2 * self.half_width, 2 * other.half_width)
        high = min(height, 2 * self.half_height, 2 * other.half_height)
        return wide * high


def placed(
    ends: Mapping[tuple[str, str], tuple[Point, Point]],
    texts: Mapping[tuple[str, str], tuple[str, ...]],
    *,
    places: Mapping[str, Point],
    names: Mapping[str, tuple[str, ...]],
    marks: Sequence[Point],
    size: tuple[float, float],
) -> list[Label]:
    """Place the labels of interfaces one by one, where they cover the least of what already stands there.

    Args:
        ends: By node and interface: the ends of its line, its own first.
        texts: By node and interface: lines of its label.
        places: Of nodes.
        names: By node: the lines under it.
        marks: Places of marks.
        size: Width and height of the drawing, outside of which nothing stands.
    """
    taken = _outside(*size)
    taken += [Box(place.x, place.y, _NODE, _NODE) for place in places.values()]
    taken += [_under(places[name], lines) for name, lines in names.items()]
    taken += [Box(mark.x, mark.y, _MARK, _MARK) for mark in marks]
    found = []
    for end, (own, other) in ends.items():
        if lines := texts.get(end, ()):
            box = _best(_candidates(own, other, lines), taken)
            taken.append(box)
            found.append(Label(at=Point(x=round(box.x, 1), y=round(box.y, 1)), lines=lines))
    return found


def _best(candidates: Iterable[Box], taken: Sequence[Box]) -> Box:
    """The first candidate that covers nothing, else the one that covers the least."""
    covered: list[tuple[float, Box]] = []
    for one in candidates:
        area = sum(one.overlap(there) for there in taken)
        if not area:
            return one
        covered.append((area, one))
    return min(covered, key=lambda found: found[0])[1]


def _outside(width: float, height: float) -> list[Box]:
    """The space beside, above and below a drawing."""
    return [
        *(Box(x, height / 2, width, 2 * height) for x in (-width, 2 * width)),
        *(Box(width / 2, y, 2 * width, height) for y in (-height, 2 * height)),
    ]


def _under(place: Point, lines: Sequence[str]) -> Box:
    height = LINE * len(lines)
    return Box(place.x, place.y + _NODE + 2 + height / 2, _width(lines) / 2, height / 2)


def _candidates(own: Point, other: Point, lines: Sequence[str]) -> Iterator[Box]:
    length = math.hypot(other.x - own.x, other.y - own.y) or 1.0
    along = (other.x - own.x) / length, (other.y - own.y) / length
    half_width, half_height = _width(lines) / 2, LINE * len(lines) / 2
    aside = half_width * abs(along[1]) + half_height * abs(along[0]) + 3
    for beside in _BESIDE:
        for distance in _DISTANCES:
            step, shift = distance * length, beside * aside
            x, y = own.x + along[0] * step - along[1] * shift, own.y + along[1] * step + along[0] * shift
            yield Box(x, y, half_width, half_height)


def _width(lines: Sequence[str]) -> float:
    return CHARACTER * max(map(len, lines), default=0) + 4
