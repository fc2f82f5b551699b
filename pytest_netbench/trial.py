"""One trial from start to end, usable without pytest."""
