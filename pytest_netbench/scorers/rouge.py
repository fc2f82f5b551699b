"""ROUGE-L of two texts: the F-measure of their longest common subsequence of words (Lin 2004), without stemming.

The numbers are those of the package rouge-score, whose import takes more than a second; a test compares them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence


def rouge_l(given: str, reference: str) -> float:
    """Return the F-measure, 0…1; 0 if a text has no word."""
    words, wanted = _words(given), _words(reference)
    common = _common(wanted, words)
    if not common:
        return 0.0
    precision, recall = common / len(words), common / len(wanted)
    return 2 * precision * recall / (precision + recall)


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", text.lower())


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the length of the longest common subsequence."""
    lengths = [0] * (len(other) + 1)
    for word in one:
        before = lengths
        lengths = [0]
        for column, candidate in enumerate(other):
            lengths.append(before[column] + 1 if word == candidate else max(before[column + 1], lengths[column]))
    return lengths[-1]
