"""Addresses in a line of IOS: with masks, with wildcards, from one to another, of a class."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Final

from pytest_netbench.dialects.match_values import Span, between, span_of

_FULL: Final = (1 << 32) - 1


def ranges(words: Sequence[str]) -> list[Span]:
    """``A B`` that are neither mask nor wildcard of each other: the addresses from one to the other."""
    singles = [span_of(word) for word in words]
    found = []
    for first, last in itertools.pairwise(singles):
        if first is not None and last is not None and (one := between(first, last)) is not None:
            found.append(one)
    return found[:1]


def spans_of(words: Sequence[str]) -> Iterable[Span]:
    """All that a line names: ``A/N``, ``A MASK``, ``A WILDCARD``, ``range A B``, ``A``."""
    if "pool" in words[:3] or words[0] == "range":
        yield from ranges(words)
        return
    at = 0
    while at < len(words):
        span = span_of(words[at])
        other = span_of(words[at + 1]) if at + 1 < len(words) else None
        at += 1
        if span is None or "/" in words[at - 1] or span.version == 6:
            if span is not None:
                yield span
            continue
        masked = None if other is None or "/" in words[at] else _masked(span.first, other.first)
        if masked is None:
            yield from _alone(words, at - 1, span)
        else:
            yield from masked
            at += 1


def _alone(words: Sequence[str], at: int, span: Span) -> Iterable[Span]:
    """An address without a mask; behind ``network`` it stands for its class."""
    if words[0] == "network" and at == 1:
        top = span.first >> 24
        length = 8 if top < 128 else 16 if top < 192 else 24
        size = 1 << (32 - length)
        yield Span(4, span.first - span.first % size, span.first - span.first % size + size - 1)
    else:
        yield span


def _masked(address: int, mask: int) -> list[Span] | None:
    """The span of an address with a subnet mask or a wildcard; a wildcard with gaps has several spans."""
    inverse = _FULL ^ mask
    if inverse & (inverse + 1) == 0 and (mask or not address):
        return [Span(4, address & mask, address | inverse)]
    if mask & (mask + 1) == 0:
        return [Span(4, address & inverse, address | mask)]
    if mask >> 24 in (0, 255):
        low, high = address & inverse, address | mask
        lowest = mask & -mask
        between_them = [Span(4, low + lowest, low + lowest)] if low + lowest != high else []
        return [Span(4, low, low), *between_them, Span(4, high, high)]
    return None
