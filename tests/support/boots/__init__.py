"""Boots one task several times, and compares the states that the boots give."""
