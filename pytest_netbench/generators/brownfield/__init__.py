"""Brownfield: configurations as they are after years, with leftovers that change no flow, and a design document."""

from pytest_netbench.generators.brownfield.growth import ConfigName, Grown, overgrown, touched_by

__all__ = ["ConfigName", "Grown", "overgrown", "touched_by"]
