"""Parts of a variance, against mean squares of a balanced design and simulated values."""

from __future__ import annotations

import random
from statistics import mean, variance

import pytest

from pytest_netbench.stats.components import components

# Sokal and Rohlf, Biometry, box 10.1: two measurements of each of four females in each of three cages
CAGES = [
    [[58.5, 59.5], [77.8, 80.9], [84.0, 83.6], [70.1, 68.3]],
    [[69.8, 69.8], [56.0, 54.5], [50.7, 49.3], [63.8, 65.8]],
    [[56.6, 57.5], [77.8, 79.2], [69.9, 69.2], [62.1, 64.5]],
]


def test_of_a_balanced_design_mean_squares_give_the_parts() -> None:
    found = components(CAGES)
    assert found is not None
    females = [[mean(pair) for pair in cage] for cage in CAGES]
    within = mean(variance(pair) for cage in CAGES for pair in cage)
    of_females = 2 * mean(variance(cage) for cage in females)
    of_cages = 8 * variance([mean(cage) for cage in females])
    expected = ((of_cages - of_females) / 8, (of_females - within) / 2, within)
    assert (found.templates, found.instances, found.trials) == pytest.approx(expected)


def test_unequal_counts_are_estimated_without_much_bias() -> None:
    chance = random.Random(7)
    found = []
    for _ in range(300):
        templates = []
        for _ in range(12):
            kind = chance.gauss(0, 2)
            instances = [kind + chance.gauss(0, 1) for _ in range(chance.randint(1, 5))]
            templates.append([[one + chance.gauss(0, 1) for _ in range(chance.randint(1, 4))] for one in instances])
        made = components(templates)
        assert made is not None
        assert made.trials is not None
        found.append((made.templates, made.instances, made.trials))
    assert [mean(column) for column in zip(*found, strict=True)] == pytest.approx([4, 1, 1], rel=0.15)


def test_without_second_trials_the_rest_is_that_of_instances() -> None:
    found = components([[[1.0], [1.0]], [[0.0], [1.0]], [[0.0], [0.0]]])
    assert found is not None
    assert found.trials is None
    assert sum(part for part in found.shares or () if part) == pytest.approx(1)


def test_what_cannot_be_told_apart_is_not_estimated() -> None:
    assert components([]) is None
    assert components([[[1.0, 0.0], [1.0]]]) is None
    assert components([[[1.0, 0.0]], [[1.0]]]) is None
    equal = components([[[1.0], [1.0]], [[1.0], [1.0]]])
    assert equal is not None
    assert equal.shares is None
