"""Where tasks come from: files, or generators with a seed."""
