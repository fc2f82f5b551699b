"""When a lab counts as ready."""

from __future__ import annotations

import time

from pytest_netbench.lab.request import request_of
from tests.support.netns_networks import pair


def test_where_no_daemon_runs_nothing_is_waited_for_however_slow_lab_time_is(backend) -> None:
    began = time.monotonic()
    lab = backend.deploy(request_of(pair(), time_scale=1))
    took_s = time.monotonic() - began
    lab.destroy()
    assert took_s < 2.5  # three lab seconds of quiet are for routing daemons
