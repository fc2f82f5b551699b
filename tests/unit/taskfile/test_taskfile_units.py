from __future__ import annotations

import pytest

from pytest_netbench.taskfile import units


@pytest.mark.parametrize(
    ("text", "value"), [("30s", 30), ("2m", 120), ("500ms", 0.5), ("1h", 3600), (1.5, 1.5), ("7", 7), ("1 s", 1)]
)
def test_durations_are_read_as_seconds(text, value):
    assert units.seconds(text) == value


@pytest.mark.parametrize(("text", "value"), [("10ms", 10), ("0.5s", 500), ("0.1ms", 0.1)])
def test_latencies_are_read_as_milliseconds(text, value):
    assert units.milliseconds(text) == value


def test_a_latency_without_unit_is_refused_as_it_could_be_either():
    with pytest.raises(ValueError, match="10: the unit is missing"):
        units.milliseconds(10)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("500kbit", 500_000),
        ("2mbit", 2_000_000),
        ("1.5M", 1_500_000),
        ("1G", 10**9),
        ("10 Mbit/s", 10**7),
        ("8bit", 8),
        (9, 9),
        ("64kbps", 64_000),
    ],
)
def test_rates_are_read_as_bits_per_second(text, value):
    assert units.bits_per_second(text) == value


@pytest.mark.parametrize(("text", "value"), [("1%", 0.01), ("0.5", 0.5), (0.25, 0.25), (0, 0), ("100%", 1)])
def test_shares_are_read_as_fractions(text, value):
    assert units.share(text) == value


def test_a_share_above_the_whole_is_refused_with_both_ways_to_write_it():
    with pytest.raises(ValueError, match=r"5 is more than the whole; write 1% or 0\.01 for one in a hundred"):
        units.share(5)


@pytest.mark.parametrize(
    ("text", "value"),
    [("ef", 46), ("EF", 46), ("af41", 34), ("cs1", 8), ("default", 0), (63, 63), ("le", 1), ("va", 44)],
)
def test_code_points_are_read_by_name_or_number(text, value):
    assert units.dscp(text) == value


@pytest.mark.parametrize("read", [units.seconds, units.milliseconds, units.bits_per_second, units.share, units.dscp])
@pytest.mark.parametrize(
    "bad", ["", "x", "-1s", -1, None, [], {}, True, float("nan"), float("inf"), "1 2", "1e400", "9" * 400, "٣s"]
)
def test_anything_else_is_refused(read, bad):
    with pytest.raises(ValueError, match=r"is not|is no |unit"):
        read(bad)
