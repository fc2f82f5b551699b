"""Intervals and paired comparison; pure."""
