from __future__ import annotations

import pytest

from pytest_netbench import parts
from pytest_netbench.errors import UsageError


@pytest.mark.parametrize(
    ("group", "name", "message"),
    [
        ("families", "repair", "unknown family 'repair' (known: configure)."),
        ("backends", "netn", "unknown backend 'netn' (known: netns). Did you mean 'netns'?"),
        ("generators", "x", "unknown generator 'x' (known: none)."),
    ],
)
def test_an_unknown_part_is_told_with_the_known_ones_and_the_nearest(group, name, message):
    with pytest.raises(UsageError) as caught:
        parts.load(group, name)
    assert str(caught.value) == message


@pytest.mark.parametrize("group", ["platforms", "backends", "families", "agents", "scorers"])
def test_every_built_in_part_loads(group):
    assert all(parts.load(group, name).__name__ for name in parts.names(group))
