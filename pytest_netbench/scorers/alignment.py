"""The heaviest common subsequence of two lists."""

from __future__ import annotations

from collections.abc import Callable


def align(left: int, right: int, weight: Callable[[int, int], int]) -> list[tuple[int, int]]:
    """Pairs of positions, rising on both sides, of the greatest total weight.

    Args:
        left: Length of the first list.
        right: Length of the second.
        weight: What pairing a position of the first with one of the second is worth; 0 if they may not be paired.
    """
    weights = [[weight(i, j) for j in range(right)] for i in range(left)]
    best = [[0] * (right + 1) for _ in range(left + 1)]
    for i in range(left - 1, -1, -1):
        for j in range(right - 1, -1, -1):
            paired = weights[i][j] + best[i + 1][j + 1] if weights[i][j] else 0
            best[i][j] = max(paired, best[i + 1][j], best[i][j + 1])
    return _walk(weights, best)


def _walk(weights: list[list[int]], best: list[list[int]]) -> list[tuple[int, int]]:
    pairs = []
    i = j = 0
    while i < len(best) - 1 and j < len(best[0]) - 1:
        if weights[i][j] and best[i][j] == weights[i][j] + best[i + 1][j + 1]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs
