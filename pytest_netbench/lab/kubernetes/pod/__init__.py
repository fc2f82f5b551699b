"""The program of pods. It runs in a node, with the standard library only."""
