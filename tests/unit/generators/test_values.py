"""Ranges as parameters of generators, and the source of random choices."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from pydantic import ValidationError

from pytest_netbench.generators.protocol import Parameters
from pytest_netbench.generators.randomness import random_of
from pytest_netbench.generators.values import Span


class Sizes(Parameters):
    nodes: Span = Span(low=1, high=3)


@pytest.mark.parametrize(
    ("written", "low", "high", "shown"), [("2-4", 2, 4, "2-4"), ("3", 3, 3, "3"), (5, 5, 5, "5"), ("2-2", 2, 2, "2")]
)
def test_a_range_is_read_and_written(written, low, high, shown):
    sizes = Sizes.model_validate({"nodes": written})
    assert (sizes.nodes.low, sizes.nodes.high) == (low, high)
    assert sizes.model_dump(mode="json") == {"nodes": shown}
    assert Sizes.model_validate(sizes.model_dump(mode="json")) == sizes


@pytest.mark.parametrize(("written", "said"), [("4-2", "write 2-4"), ("2..4", "not a whole number"), ("", "whole")])
def test_what_is_no_range_is_refused(written, said):
    with pytest.raises(ValidationError, match=said):
        Sizes.model_validate({"nodes": written})


def test_both_ends_of_a_range_are_drawn():
    span, source = Span(low=2, high=4), random_of("x", seed=1, index=0)
    assert {span.draw(source) for _ in range(100)} == {2, 3, 4}
    assert 4 in span
    assert 5 not in span


def test_a_draw_depends_on_generator_seed_and_index_and_on_nothing_else():
    draws = {random_of(name, seed=s, index=i).random() for name in "ab" for s in (1, 11) for i in (1, 11)}
    assert len(draws) == 8
    code = (
        "from pytest_netbench.generators.randomness import random_of; r = random_of('x', seed=7, index=42); l ="
        " list(range(9)); r.shuffle(l); print(r.randrange(1000), r.choice('abc'), r.sample(range(99), 3), l)"
    )
    for salt in ("0", "1"):  # golden values: other Python versions must print the same
        done = subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONHASHSEED": salt},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout == "930 a [15, 69, 43] [4, 3, 5, 1, 0, 8, 6, 7, 2]\n"
