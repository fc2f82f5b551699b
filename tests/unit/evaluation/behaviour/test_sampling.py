"""Which recorded flows are measured where not all can be."""

from __future__ import annotations

import pytest

from pytest_netbench.evaluation.behaviour.sampling import ALLOWED_S, Sample, sample
from pytest_netbench.model.behaviour import HeldFlow
from tests.support.behaviours import ALLOWED, DENIED, flow


def held(port: int, why: str = "by chance") -> HeldFlow:
    return HeldFlow(flow=flow(port=port, why=why), before=ALLOWED, after=DENIED)


OTHERS = [held(port) for port in range(1000, 1100)]
BOUNDARIES = [
    held(port, why)
    for port, why in enumerate(
        (
            "address before 10.0.0.0/24",
            "source: last address of 10.0.0.0/24",
            "list 7: from 10.0.0.1 of pc to address after 10.0.0.0/24, tcp port before 80",
            "a testcase, port after 443",
            "first port of 20-30, another pair",
        ),
        1,
    )
]
LOOKS_ALIKE = [
    held(90, "further address of db"),
    held(91, "an address in 10.0.0.0/24"),
    held(92, "every pair of nodes"),
]


def chosen(flows, *, count: float = 20, named=(), beyond=lambda _: None, seed="s") -> Sample:
    return sample(flows, is_named=lambda one: one in named, beyond=beyond, per_s=count / ALLOWED_S, seed=seed)


def test_what_is_named_and_what_is_at_a_boundary_is_measured_whatever_the_time():
    found = chosen([*OTHERS, *BOUNDARIES, *LOOKS_ALIKE], count=1e-6, named=[OTHERS[7]])
    assert found.held == [*OTHERS[6:9], *BOUNDARIES]
    assert found.share == pytest.approx(8 / 108, abs=1e-4)
    assert found.beyond == {}


def test_others_are_drawn_as_time_allows_the_same_for_the_same_seed_in_the_order_of_the_record():
    one, same, other = (chosen([*OTHERS, *BOUNDARIES], seed=seed) for seed in "aab")
    assert one == same
    assert one.held != other.held
    assert len(one.held) == len(other.held) == 20
    ports = [each.flow.port for each in one.held]
    assert sorted(ports[:15]) == ports[:15]
    assert ports[15:] == [1, 2, 3, 4, 5]


def test_all_are_measured_if_there_is_time():
    assert chosen(OTHERS, count=100) == (OTHERS, 1.0, {}, ALLOWED_S)


def test_what_cannot_be_measured_is_counted_by_reason_also_if_it_is_named():
    def beyond(one: HeldFlow) -> str | None:
        return {0: "forged", 1: "a tunnel"}.get(one.flow.port % 10)

    found = chosen(OTHERS, count=1000, named=OTHERS[:2], beyond=beyond)
    assert found.beyond == {"forged": 10, "a tunnel": 10}
    assert found.share == 0.8
    assert not {0, 1} & {one.flow.port % 10 for one in found.held}


def test_a_share_is_never_rounded_to_all():
    many = [held(port) for port in range(1, 60_001)]
    found = chosen(many, count=10**6, beyond=lambda one: "no" if one.flow.port == 5 else None)
    assert 0.999 < found.share < 1


def test_nothing_to_compare_is_all_of_it():
    assert chosen([]) == ([], 1.0, {}, 0.0)
