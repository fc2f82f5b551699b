"""Devices on containerlab: an IOS node of ours stands in for one, behind a container that forwards logins to it."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.integration import forwarder
from tests.integration.containerlab import NEEDED, NOTHING, Site

pytestmark = NEEDED
IMAGE = "netbench-integration:frr"
TASK = {
    "task_name": "R1 reaches a LAN behind h1",
    "platform": "cisco_ios",
    "intents": "R1 must have a static route to 198.51.100.0/24 by 192.0.2.2.",
    "topology": {
        "nodes": ["R1", {"name": "h1", "platform": "linux"}],
        "links": ["R1 GigabitEthernet0/0 <-> h1 eth0"],
    },
    "startup_configs": {
        "R1": "hostname R1\ninterface GigabitEthernet0/0\n ip address 192.0.2.1 255.255.255.0\n no shutdown\n",
        "h1": "ip address add 192.0.2.2/24 dev eth0\n",
    },
    "ground_truth_configs": {"R1": ["ip route 198.51.100.0 255.255.255.0 192.0.2.2"]},
    "testcases": [
        {
            "name": "the route is there",
            "kind": "show",
            "device": "R1",
            "commands": "show ip route static",
            "expected_output": "198.51.100.0",
        }
    ],
}
# within the engine's namespaces: the lab whose nodes stand in, and what lets containers reach one of them
STAND_IN = """
import json, subprocess, sys, time
from tests.integration.forwarder import relayed
with subprocess.Popen([sys.executable, "-m", "pytest_netbench.cli", "lab", sys.argv[1], "--json"],
                      stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as lab:
    login = json.loads(lab.stdout.readline())["ssh"]["hosts"]["R1"]
    try:
        with relayed((login["host"], login["port"])) as port:
            print(json.dumps(login | {"relay": port}), flush=True)
            sys.stdin.read()
    finally:
        lab.terminate()
"""


@pytest.fixture
def ios(site: Site, tmp_path: Path) -> Iterator[dict[str, Any]]:
    """Login and port of an IOS node that is no container."""
    (tmp_path / "own.task.yaml").write_text(yaml.safe_dump(TASK))
    with subprocess.Popen(
        [*site.engine.enter, sys.executable, "-c", STAND_IN, str(tmp_path / "own.task.yaml")],
        env=site.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline())


@pytest.fixture
def kinds(ios: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, site: Site) -> dict[str, Any]:
    """A table in which a container that forwards stands for ``cisco_ios``."""
    table = {
        "linux": {"image": IMAGE},
        "cisco_ios": {
            "kind": "linux",
            "image": IMAGE,
            "device": "forwarder",
            "privileged": False,
            "entrypoint": "/usr/bin/perl",
            "cmd": shlex.join(forwarder.command(ios["relay"])),
        },
        "devices": {
            "forwarder": {
                "dialect": "cisco_ios",
                "driver": "cisco_ios_ssh",
                "username": ios["username"],
                "password": "$SECRET",
                "enable-secret": ios["enable_secret"],
                "management": "eth0",
                "interfaces": {"pattern": r"gigabitethernet0/(?P<port>\d+)", "shift": 1},
                "boot-s": 60,
            }
        },
    }
    (tmp_path / "kinds.yaml").write_text(yaml.safe_dump(table))
    monkeypatch.setitem(site.environment, "NETBENCH_KINDS", str(tmp_path / "kinds.yaml"))
    monkeypatch.setitem(site.environment, "SECRET", ios["password"])
    return table


def test_a_device_boots_by_itself_is_logged_in_to_and_has_the_verdicts_of_other_backends(
    site: Site,
    kinds: dict[str, Any],
    ios: dict[str, Any],
    tmp_path: Path,
) -> None:
    (tmp_path / "one.task.yaml").write_text(yaml.safe_dump(TASK))
    verdicts = []
    for agent in ("nop", "oracle"):  # the device is the same one: a route of the oracle's would stay
        shown, (result,) = site.pytest(str(tmp_path / "one.task.yaml"), f"--agent={agent}")
        verdicts.append(result["status"])
        assert ios["password"] not in shown + json.dumps(result)
        assert site.left() == NOTHING
    assert verdicts == ["failed", "passed"]


def test_what_the_image_cannot_be_is_skipped_with_a_sentence(
    site: Site,
    kinds: dict[str, Any],
    tmp_path: Path,
) -> None:
    other = json.loads(json.dumps(TASK).replace("GigabitEthernet0/0", "Ethernet0/0"))
    (tmp_path / "one.task.yaml").write_text(yaml.safe_dump(other))
    shown, _ = site.pytest(str(tmp_path / "one.task.yaml"), "--agent=nop", "-rs")
    assert "of which Ethernet0/0 cannot be cabled (R1)" in shown
    kinds["cisco_ios"]["image"] = "vendor/none"
    (tmp_path / "kinds.yaml").write_text(yaml.safe_dump(kinds))
    (tmp_path / "one.task.yaml").write_text(yaml.safe_dump(TASK))
    shown, _ = site.pytest(str(tmp_path / "one.task.yaml"), "--agent=nop", "-rs")
    assert "the engine has no image vendor/none, which nodes of cisco_ios need" in shown


def test_a_device_that_nobody_can_log_in_to_is_an_error_of_the_lab_and_leaves_nothing(
    site: Site,
    kinds: dict[str, Any],
    tmp_path: Path,
) -> None:
    kinds["devices"]["forwarder"] |= {"password": "wrong", "boot-s": 5}
    (tmp_path / "kinds.yaml").write_text(yaml.safe_dump(kinds))
    (tmp_path / "one.task.yaml").write_text(yaml.safe_dump(TASK))
    shown, (result,) = site.pytest(str(tmp_path / "one.task.yaml"), "--agent=nop")
    assert result["status"] == "error"
    assert "R1: no login within 5 s; at last: " in shown
    assert site.left() == NOTHING
