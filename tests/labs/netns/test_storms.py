"""Loops of packets in one lab: they end, and other labs of the machine are measured as if they had not been."""

from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from pytest_netbench.lab.probing import Probe
from pytest_netbench.model.testcase import Flow
from pytest_netbench.probing.overflow import Overflow
from tests.labs.netns.conftest import Deploy
from tests.support.ios import eventually
from tests.support.netns_networks import pair

LOOP = (
    "ip link add br0 type bridge; ip link set br0 up; "
    "for n in 1 2; do ip link add v$n type veth peer name w$n; "
    "for e in v$n w$n; do ip link set $e master br0 up; done; done; "
    "ip address add 192.0.2.1/24 dev br0; ping -c 1 -W 0.1 -b 192.0.2.255; "
    'python3 -S -c "import time; time.sleep(8)"'  # by the wall, unlike sleep
)
FLOW = Flow.model_validate({"from": "a", "to": "b", "rate_bps": 400_000})


@pytest.mark.alone
def test_a_loop_during_a_command_is_cut_and_loses_no_probe_of_another_lab(lab: Any, deploy: Deploy) -> None:
    other, cores = deploy(pair()).nodes, sorted(os.sched_getaffinity(0))
    overflow = Overflow()
    with ThreadPoolExecutor() as pool:
        running = [
            pool.submit(other[node].shell, f"taskset -c {core} sh -c '{LOOP}'", writable=True)
            for node, core in zip("ab", cores, strict=False)
        ]
        assert eventually(lambda: overflow)
        # A packet each 20 ms. No warm-up: what the storm delays would be sent before the measured time and arrive
        # inside it.
        sent = pool.submit(lab.prober.traffic, [FLOW], ["10.0.0.2"], duration_s=0.41, warmup_s=0.0)
        assert lab.prober.probe([Probe(source="a", target="10.0.0.2", timeout_s=0.1)], repetitions=0)[0].delivered
        assert eventually(_is_calm, within_s=3)
        (report,) = sent.result()
        on_its_way = 1
        assert 0 < report.sent_packets <= report.received_packets + on_its_way
        assert not any(one.done() for one in running)


def _is_calm() -> bool:
    overflow = Overflow()
    threading.Event().wait(0.2)
    return not overflow
