"""Labs that come up side by side, and those that do not come up."""

from __future__ import annotations

import os
import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from pytest_netbench.backends.netns.backend import NetnsBackend
from pytest_netbench.errors import LabError, NotReady, StartupConfigRejected
from pytest_netbench.lab import readiness
from pytest_netbench.lab.probing import Probe
from pytest_netbench.lab.request import request_of
from pytest_netbench.model.ready import Ready
from tests.support import host
from tests.support.netns_networks import network, ospf_pair, pair, routed


class Watched:
    """Deploys, remembering every lab that was begun."""

    def __init__(self, backend: NetnsBackend, monkeypatch: pytest.MonkeyPatch) -> None:
        from pytest_netbench.backends.netns import backend as module

        self.traces: list[host.Lab] = []
        self._backend = backend
        watch = self.traces

        class Channel(module.Channel):
            def close(self) -> None:
                watch.append(host.Lab.of(self.pid))
                super().close()

        monkeypatch.setattr(module, "Channel", Channel)

    def fails(self, kind: type[Exception], task: Any) -> Exception:
        with pytest.raises(kind) as caught:
            self._backend.deploy(request_of(task))
        assert self.traces
        assert [left for trace in self.traces for left in trace.left_after(1.0)] == []
        return caught.value


@pytest.fixture
def watched(backend: NetnsBackend, monkeypatch: pytest.MonkeyPatch) -> Watched:
    return Watched(backend, monkeypatch)


def test_a_startup_config_that_is_rejected_names_node_and_line_and_leaves_nothing(watched: Watched) -> None:
    task = ospf_pair()
    configs = {**task.network.startup_configs, "R2": "interface eth0\n ip adress 10.0.12.2/30\n"}
    error = watched.fails(StartupConfigRejected, task.with_payload(startup_configs=configs, strict=True))
    assert "R2" in str(error)
    assert "ip adress 10.0.12.2/30" in str(error)


def test_a_shell_config_that_fails_names_its_line_and_leaves_nothing(watched: Watched) -> None:
    task = network(
        {"a": "linux", "b": "linux"}, ["a eth0 - b eth0"], {"a": "ip link set eth0 up\nip link set nope up\n"}
    )
    error = watched.fails(StartupConfigRejected, task.with_payload(strict=True))
    assert "a" in str(error)
    assert "ip link set nope up" in str(error)


def test_a_network_that_does_not_come_up_says_what_was_waited_for_and_leaves_nothing(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(readiness, "_LEAST_DEADLINE_S", 0.5)
    task = ospf_pair()
    deaf = task.network.startup_configs["R2"] + "route-map x deny 1\nexit\n"
    configs = {
        **task.network.startup_configs,
        "R2": deaf.replace(
            "ip address 10.0.12.2/30",
            "ip address 10.0.12.2/30\n ip ospf hello-interval 60000\n ip ospf dead-interval 65000",
        ),
    }
    configs["R1"] = task.network.startup_configs["R1"].replace(
        "ip address 10.0.12.1/30",
        "ip address 10.0.12.1/30\n ip ospf hello-interval 60000\n ip ospf dead-interval 65000",
    )
    error = watched.fails(
        NotReady, task.with_payload(startup_configs=configs, time_scale=1.0, ready=Ready(deadline_s=1.0))
    )
    # the first hello may be heard or not, depending on who boots first; the next one is hours away
    assert re.search(r"still waiting for: R\d: OSPF (?:neighbor .* expected Full|database .* differs)", str(error))


def test_an_interface_name_that_the_platform_cannot_have_is_named(backend: NetnsBackend) -> None:
    task = network({"a": "linux", "b": "linux"}, ["a this/is-no-interface-name - b eth0"], {})
    with pytest.raises(LabError, match=r"a: .*this/is-no-interface-name"):
        backend.deploy(request_of(task))


def test_eight_labs_at_once_do_not_disturb_each_other(backend: NetnsBackend) -> None:
    """All have the same names and addresses; each answers for itself."""
    with ThreadPoolExecutor(8) as pool:
        labs = list(pool.map(lambda _: backend.deploy(request_of(routed(), workers=8)), range(8)))
    try:
        for number, lab in enumerate(labs):
            lab.nodes["h2"].write_file("/tmp/number", str(number))
        assert [lab.nodes["h2"].read_file("/tmp/number") for lab in labs] == [str(number) for number in range(8)]
        labs[3].nodes["r"].shell(
            "nft add table inet f; nft add chain inet f c '{ type filter hook forward priority 0; policy drop; }'",
            writable=True,
        )
        probe = [Probe(source="h1", target="10.2.0.10", timeout_s=1.0)]
        with ThreadPoolExecutor(8) as pool:
            reached = list(pool.map(lambda lab: lab.prober.probe(probe)[0].delivered, labs))
        assert reached == [number != 3 for number in range(8)]
        labs[5].destroy()
        os.kill(labs[6].supervisor_pid, 9)
        alive = [lab for number, lab in enumerate(labs) if number not in (3, 5, 6)]
        assert all(lab.prober.probe(probe)[0].delivered for lab in alive)
    finally:
        traces = [host.Lab.of(lab.supervisor_pid) for lab in labs]
        for lab in labs:
            lab.destroy()
    assert [left for trace in traces for left in trace.left_after(1.0)] == []


def test_a_lab_says_what_it_cost(backend: NetnsBackend) -> None:
    lab = backend.deploy(request_of(pair()))
    lab.destroy()
    assert 0 < lab.deploy_s < 5
    assert 0 < lab.destroy_s < 1
