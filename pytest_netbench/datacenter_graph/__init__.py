"""Layered data-center graphs for capacity planning: building, reading, queries, golden answers, safety, comparison."""
