"""The results directory: append, merge, read, score again."""
