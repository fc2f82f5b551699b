"""Spanning trees: PVST and rapid PVST."""
