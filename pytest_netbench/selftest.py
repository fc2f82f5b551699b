"""Proof that a task is solvable and not vacuous."""
