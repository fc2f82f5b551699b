"""What a task of a kind means: brief, permitted ANI methods, default scorers."""
