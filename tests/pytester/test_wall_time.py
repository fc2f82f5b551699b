"""What is said before a run whose tasks take minutes of wall time."""

from __future__ import annotations

import pytest

LINE = "netbench: backend memory runs in wall time; events take minutes at most in reach 7 min"


def long_task(bench, within_s: float) -> None:
    events = {"server-silent": [{"cut": "edge e1"}], "server-back": [{"cut": "edge e0"}]}
    testcases = [
        {"name": f"{number}", "kind": "route", "device": "edge", "prefix": "10.9.0.0/16", "under": under, **more}
        for number, (under, more) in enumerate(
            [
                ("server-silent", {"within_s": within_s}),
                ("server-silent", {"within_s": 1}),
                ("server-back", {"within_s": within_s}),
            ]
        )
    ]
    bench.task("reach", events=events, testcases=testcases)


@pytest.mark.parametrize("spread", [(), ("-n", "2")])
def test_tasks_whose_events_take_minutes_are_named_before_they_begin(bench, spread):
    long_task(bench, within_s=200)
    shown = bench.run("--agent=nop", *spread)
    shown.stdout.fnmatch_lines([LINE])
    assert shown.stdout.str().count("runs in wall time") == 1


def test_short_ones_and_quiet_runs_are_not_told(bench):
    long_task(bench, within_s=50)
    assert "wall time" not in bench.run("--agent=nop").stdout.str()
    long_task(bench, within_s=200)
    assert "wall time" not in bench.run("--agent=nop", "-q").stdout.str()


def test_a_backend_that_paces_time_needs_no_warning(bench):
    long_task(bench, within_s=200)
    bench.pytester.makeini("[pytest]\naddopts = --netbench-backend=netns\n")
    assert "wall time" not in bench.run("--agent=nop", "--collect-only").stdout.str()
