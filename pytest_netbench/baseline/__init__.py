"""Saved results and gate verdicts."""
