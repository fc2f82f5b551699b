"""Choices from seeds are the same in every process."""

from __future__ import annotations

import pytest

from pytest_netbench.randomness import seeded


@pytest.mark.parametrize(("seed", "drawn"), [(7, [331, 970, 154]), ("repair-network/7/0", [264, 839, 689])])
def test_a_seed_chooses_the_same_numbers_always(seed, drawn):
    source = seeded(seed)
    assert [source.randrange(1000) for _ in range(3)] == drawn


def test_without_a_seed_each_source_chooses_differently():
    assert len({seeded(None).random() for _ in range(4)}) == 4
