"""The container image with the rights of docs/how-to/run-in-a-container.md, and with each of them missing."""

from __future__ import annotations

import json
import os
import re
import stat
from pathlib import Path
from typing import Any

import pytest

from tests.integration.engine import Engine
from tests.integration.images import ROOT

PROFILE = ROOT / "container/seccomp.json"
PROFILE_OPTION = "--security-opt seccomp=container/seccomp.json"
TASKS = ("tasks/security/nat-port-forward.task.yaml", "tasks/routing/ospf-single-area.task.yaml")
OF_LABS = ("unshare", "setns", "mount", "mount_setattr", "pivot_root", "umount2", "sethostname")


def documented() -> list[str]:
    """The options of the page's command for Docker."""
    page = (ROOT / "docs/how-to/run-in-a-container.md").read_text()
    (command,) = re.findall(r"^    docker run (.*) netbench$", page, re.MULTILINE)
    return str(command).replace("seccomp=container", f"seccomp={ROOT}/container").split()


def inside(docker: Engine, image: str, options: list[str], command: str) -> str:
    """What a command prints in a container, with its exit status at the end."""
    words = ["run", "--rm", "--network", "none", *options, image, "sh", "-c"]
    return docker.run(*words, f"({command}); echo status $?", check=False)


def without(names: set[str], folder: Path) -> list[str]:
    """The documented options with a profile that lacks system calls; ``clone`` then makes no namespaces."""
    profile: dict[str, Any] = json.loads(PROFILE.read_text())
    for rule in profile["syscalls"]:
        if "clone" in names and rule["names"] == ["clone"]:
            rule["args"] = [{"index": 0, "value": 0x7E020000, "valueTwo": 0, "op": "SCMP_CMP_MASKED_EQ"}]
        elif set(rule["names"]) & names:
            rule["action"] = "SCMP_ACT_ERRNO"
    changed = folder / "seccomp.json"
    changed.write_text(json.dumps(profile))
    return [option.replace(str(PROFILE), str(changed)) for option in documented()]


def test_with_the_documented_rights_doctor_finds_all_and_two_tasks_pass(docker, netbench):
    seen = inside(docker, netbench, documented(), "id -u; grep CapBnd /proc/self/status; netbench doctor")
    assert seen.startswith("1000\nCapBnd:\t0000000000000000\n"), seen
    assert "MISSING" not in seen
    assert seen.endswith("labs can run here\nstatus 0\n"), seen
    run = f"pytest {' '.join(TASKS)} --agent=oracle -q -p no:cacheprovider"
    seen = inside(docker, netbench, documented(), run)
    assert "2 passed" in seen, seen


@pytest.mark.parametrize("call", OF_LABS)
def test_without_a_system_call_doctor_says_that_the_profile_is_needed(docker, netbench, tmp_path, call):
    seen = inside(docker, netbench, without({call}, tmp_path), "netbench doctor")
    assert seen.endswith("status 1\n"), seen
    # the call by its name, or what unshare(1) says where it fails
    assert re.search(rf"^MISSING .*(\b{call}\b|change root|files of node)", seen, re.MULTILINE), seen
    assert f"fix: start the container with {PROFILE_OPTION}, see docs/how-to/run-in-a-container.md" in seen


def test_without_clones_with_namespaces_agents_that_are_programs_cannot_be_confined(docker, netbench, tmp_path):
    seen = inside(docker, netbench, without({"clone"}, tmp_path), "netbench doctor")
    assert seen.endswith("labs can run here\nstatus 0\n"), seen
    assert re.search(
        rf"^lacking bubblewrap .*\n +fix: start the container with {PROFILE_OPTION}, see", seen, re.MULTILINE
    )


@pytest.mark.parametrize("missing", ["seccomp", "systempaths"])
def test_without_an_option_doctor_names_it(docker, netbench, missing):
    (option,) = [word for word in documented() if word.startswith(missing)]
    options = documented()
    del options[options.index(option) - 1 : options.index(option) + 1]
    seen = inside(docker, netbench, options, "netbench doctor")
    assert seen.endswith("status 1\n"), seen
    told = re.search(r"^MISSING (?:user namespaces|own /proc) .*\n +fix: (.*)$", seen, re.MULTILINE)
    named = f"--security-opt {option.replace(f'{ROOT}/', '')}"
    assert told, seen
    assert told.group(1) == f"start the container with {named}, see docs/how-to/run-in-a-container.md", seen


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a device")
def test_the_device_for_tunnels_is_asked_for_and_found(docker, netbench, tmp_path):
    asked = "fix: start the container with --device /dev/net/tun, see"
    assert asked in inside(docker, netbench, documented(), "netbench doctor | grep -A1 ' tun '")
    for mode, found in ((0o600, "fix: on the host chmod 666 /dev/net/tun, then start"), (0o666, "ok      tun ")):
        device = tmp_path / f"{mode:o}"
        os.mknod(device, 0o600 | stat.S_IFCHR, os.makedev(10, 200))
        device.chmod(mode)
        options = [*documented(), "--device", f"{device}:/dev/net/tun"]
        assert found in inside(docker, netbench, options, "netbench doctor | grep -A1 ' tun '")


def test_the_image_has_what_the_page_says(docker, netbench):
    seen = inside(
        docker, netbench, documented(), "pwd; id -un; command -v netbench; ls; ls /usr/lib/python3*/ | grep netbench"
    )
    assert seen.split()[:3] == ["/home/netbench/bench", "netbench", "/opt/netbench/bin/netbench"]
    assert {"tasks", "agents", "container", "conftest.py"} <= set(seen.split())
