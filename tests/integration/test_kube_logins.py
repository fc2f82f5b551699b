"""Logins by SSH to the workstation and the pods of a cluster that runs here."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from pytest_netbench.ani.interface import AgentInterface
from pytest_netbench.ani.policy import Policy
from pytest_netbench.ani.ssh import open_ssh
from pytest_netbench.ani.watching import NOTICED_S
from pytest_netbench.backends.kube.binaries import Binaries
from pytest_netbench.backends.kube.plan import WORKSTATION
from pytest_netbench.generators.series import read_series
from pytest_netbench.model.task import Budget
from pytest_netbench.model.trial import SshAccess
from pytest_netbench.trial import run_trial
from tests.integration import clusters
from tests.integration.clusters import SPACE, wait_until
from tests.integration.prompts import PROMPT, PromptOracle
from tests.support.repair_trials import scores
from tests.support.shell import Shell
from tests.support.terminal import ScriptedTerminal

LABEL = f"kubectl label deployment front -n {SPACE} --overwrite"


@dataclass
class Watcher:
    """Implements ``ani.protocol.WorkWatcher``: keeps what it is told."""

    seen: list[tuple[str, ...]] = field(default_factory=list)

    @contextlib.contextmanager
    def changing(self, device: str, lines: Sequence[str], *, at_s: float) -> Iterator[None]:
        self.seen.append((device, *lines))
        yield


@dataclass(frozen=True)
class Served:
    """A cluster whose devices answer with SSH."""

    lab: Any
    ani: AgentInterface
    access: SshAccess
    watcher: Watcher

    def read(self, command: str) -> str:
        """What ``execute-cmd`` prints at the workstation."""
        return str(self.ani.execute_cmd(WORKSTATION, command)["output"])

    def label(self, name: str) -> str:
        """A label of the Deployment ``front``."""
        return self.read(f"kubectl get deployment front -n {SPACE} -o jsonpath='{{.metadata.labels.{name}}}'")


def test_a_repair_by_ssh_is_a_repair_that_breaks_nothing(binaries: Binaries) -> None:
    task = read_series("repair-kubernetes:n=1,seed=1,applications=boutique,level=1,labels=RI").source(0).load()
    result = run_trial(task, PromptOracle(), ssh=True)
    assert result.record is not None, result
    assert (result.record.outcome, result.record.error) == ("done", None)
    names = ("correctness", "safety", "netarena.correctness", "netarena.safety")
    assert [scores(result.record)[name] for name in names] == [1.0] * 4


@pytest.fixture(scope="module")
def served(binaries: Binaries) -> Iterator[Served]:
    lab = clusters.deployed()
    try:
        ani = AgentInterface(lab, policy=Policy(), budget=Budget(calls=None, commands=None, wall_s=None))
        watcher = Watcher()
        ani.watch(watcher)
        try:
            yield Served(lab, ani, open_ssh(ani), watcher)
        finally:
            ani.close()
        assert ani.lab_error is None
    finally:
        lab.destroy()
        lab.await_cleanup()


@pytest.fixture
def login(served: Served) -> Iterator[Callable[[str], Shell]]:
    """A function that logs in to a device and waits for its prompt."""
    shells: list[Shell] = []

    def one(device: str) -> Shell:
        shells.append(Shell(served.access.hosts[device]))
        shells[-1].type("", PROMPT if device == WORKSTATION else r"\$ $")
        return shells[-1]

    yield one
    for shell in shells:
        shell.client.close()


def test_a_login_to_the_workstation_is_the_user_who_changes_objects(
    served: Served, login: Callable[[str], Shell]
) -> None:
    shell = login(WORKSTATION)
    assert "engineer\r\n" in shell.type(
        "kubectl auth whoami -o jsonpath='{.status.userInfo.username}{\"\\n\"}'\r", PROMPT
    )
    shell.type(f"{LABEL} typed=yes\r", rf"labeled\r\n.*{PROMPT}")
    assert served.label("typed") == "yes"


def test_one_command_has_the_same_user_and_its_exit_status(served: Served, login: Callable[[str], Shell]) -> None:
    shell = login(WORKSTATION)
    assert shell.run(f"{LABEL} once=yes && exit 3") == ("deployment.apps/front labeled\n", 3)
    assert served.label("once") == "yes"


def test_what_is_not_permitted_to_the_user_is_not_by_ssh_either(login: Callable[[str], Shell]) -> None:
    output, status = login(WORKSTATION).run("kubectl delete node --all")
    assert (status, "forbidden" in output) == (1, True)


def test_requests_are_changes_and_lines_are_not(served: Served, login: Callable[[str], Shell]) -> None:
    shell = login(WORKSTATION)
    threading.Event().wait(2 * NOTICED_S)  # changes of the test before that come soon after each other are one
    served.watcher.seen.clear()
    shell.type(f"kubectl get pods -n {SPACE} -o name\r", rf"pod/store[^\r]*\r\n.*{PROMPT}")
    assert served.watcher.seen == []
    shell.type(f"{LABEL} counted=yes\r", rf"labeled\r\n.*{PROMPT}")
    path = f"/apis/apps/v1/namespaces/{SPACE}/deployments/front"
    assert served.watcher.seen == [(WORKSTATION, f"PATCH {path}")]


def test_lines_are_recorded(served: Served, login: Callable[[str], Shell]) -> None:
    shell = login(WORKSTATION)
    shell.type("kubectl version --client\r", PROMPT)
    shell.type(f"{LABEL} recorded=yes\r", rf"labeled\r\n.*{PROMPT}")
    shell.leave()
    lines = [step.data["params"]["line"] for step in served.ani.steps if step.data.get("method") == "console"]
    assert lines[-3:] == ["kubectl version --client", f"{LABEL} recorded=yes", "exit"]


def test_commands_that_read_cannot_change_anything_beside_a_login(
    served: Served, login: Callable[[str], Shell]
) -> None:
    login(WORKSTATION)
    assert "cannot patch resource" in served.read(f"{LABEL} read=yes")


def test_a_login_may_change_objects_when_another_one_and_a_command_have_ended(
    served: Served, login: Callable[[str], Shell]
) -> None:
    first, second = login(WORKSTATION), login(WORKSTATION)
    first.leave()
    served.ani.update_cfg(WORKSTATION, [f"{LABEL} between=yes"])
    second.type(f"{LABEL} after=yes\r", rf"labeled\r\n.*{PROMPT}")
    assert (served.label("between"), served.label("after")) == ("yes", "yes")


def test_nothing_may_be_changed_once_all_logins_have_ended(served: Served, login: Callable[[str], Shell]) -> None:
    shell = login(WORKSTATION)
    gateway = served.lab._control._runtime.gateway
    assert gateway.takes_changes
    shell.client.close()  # without a word
    wait_until(lambda: not gateway.takes_changes)


def test_a_login_that_must_not_change_anything_is_the_other_user(served: Served) -> None:
    node = served.lab.nodes[WORKSTATION]
    console = served.lab.driver(WORKSTATION).console(node, enable_secret="", read_only=True)
    told = ScriptedTerminal()
    assert console.execute(told, f"{LABEL} quietly=yes") == 1
    assert 'user "engineer-reading" cannot PATCH' in told.shown
    told = ScriptedTerminal(script=[f"kubectl auth whoami; {LABEL} quietly=yes\r", "exit\r"])
    console.converse(told)
    assert "engineer-reading" in told.shown
    assert served.label("quietly") == ""


def test_a_login_to_a_pod_is_a_shell_that_changes_nothing(login: Callable[[str], Shell]) -> None:
    shell = login("front")
    assert "10.244." in shell.type("ip -4 -o address show eth0\r", r"inet .*\r\n.*\$ $")
    assert "not permitted" in shell.type("ip link set eth0 down\r", r"permitted.*\r\n.*\$ $")


def test_a_login_ends_with_its_pod_and_the_next_one_is_told_why(served: Served, login: Callable[[str], Shell]) -> None:
    shell, workstation = login("cart"), login(WORKSTATION)
    workstation.type(f"kubectl scale deployment cart -n {SPACE} --replicas=0\r", r"scaled\r\n")
    while shell.channel.recv(65536):
        pass
    wait_until(lambda: "cart" not in served.read(f"kubectl get pods -n {SPACE} -o name"))
    output, status = Shell(served.access.hosts["cart"]).run("hostname")
    assert (output, status) == ("% netbench: cart: no pod of this Deployment is ready\r\n", 255)
    assert served.ani.lab_error is None
