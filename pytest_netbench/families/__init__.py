"""Families of tasks: brief, permitted ANI methods, default scorers."""
