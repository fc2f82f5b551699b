"""Layered data-centre graphs for capacity planning: building, reading, queries, golden answers, safety, comparison."""
