"""ROUGE-L of two texts, by the package rouge-score."""

from __future__ import annotations


def rouge_l(given: str, reference: str) -> float:
    """Return the F-measure of the longest common subsequence of words (Lin 2004), 0…1, without stemming."""
    from rouge_score.rouge_scorer import RougeScorer  # takes more than a second

    return float(RougeScorer(["rougeL"], use_stemmer=False).score(reference, given)["rougeL"].fmeasure)
