"""The monitor while an agent works at the devices' own prompts: a shell, vtysh and IOS."""

from __future__ import annotations

import time

from pytest_netbench.ani import watching
from pytest_netbench.evaluation.monitor.monitor import Monitor
from pytest_netbench.model.watch import WatchedFlow
from tests.support.shell import Shell

FLOWS = [
    WatchedFlow(source="f1", target="h1", address="10.1.0.2"),
    WatchedFlow(source="h1", target="f1", address="10.1.0.1"),
    WatchedFlow(source="R1", target="R2", address="10.0.0.2"),
]
PAUSE_S = 0.6


def test_lines_at_each_kind_of_prompt_are_watched_in_batches(served, monkeypatch):
    monkeypatch.setattr(watching, "UNENDED_S", 0.3)
    monitor = Monitor(served.lab, FLOWS)
    assert monitor.begin() == frozenset()
    served.ani.watch(monitor)
    prompts = {"h1": r"# $", "f1": r"f1# $", "R1": r"R1[>#]$"}
    shells = {name: Shell(served[name]) for name in prompts}
    for name, prompt in prompts.items():
        shells[name].type("", prompt)

    def enter(device: str, text: str) -> None:
        shells[device].type(text, prompts[device])
        time.sleep(PAUSE_S)  # an agent that thinks: the batch is complete

    enter("h1", "ip link set eth0 down\r")
    enter("h1", "ip link set eth0 up\r")
    enter("f1", "configure terminal\rinterface eth0\rno ip address 10.1.0.1/24\rip address 10.1.0.9/24\rend\r")
    shells["R1"].type("enable\r", "Password: ")
    enter("R1", f"{served['R1'].enable_secret}\r")
    shells["R1"].type("configure terminal\rinterface Gi0/0\rshutdown\rend\r", r"R1#$")
    for shell in shells.values():
        shell.client.close()
    served.ani.close()
    watch = monitor.end()
    assert [(step.device, step.broke, step.mended) for step in watch.steps] == [
        ("h1", (0, 1), ()),
        ("h1", (), (0, 1)),
        ("f1", (1,), ()),
        ("R1", (2,), ()),
    ]
    assert served.ani.lab_error is None
