"""The profile of system calls that is shipped for containers."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from pytest_netbench.kernel import containers, seccomp
from pytest_netbench.taskfile.corpus import corpus

LABS = {"unshare", "setns", "mount", "mount_setattr", "pivot_root", "umount2", "sethostname", "clone"}
"""What labs and bubblewrap need beyond what any program does."""
# besides these the filter of agents' commands refuses what a shell has no use for, and Python in the container has
ORDINARY = {"memfd_create", "shmget", "msgget", "semget"}
HEADERS = [
    path
    for place in ("asm-generic/unistd.h", "x86_64-linux-gnu/asm/unistd_64.h", "asm/unistd_64.h")
    if (path := Path("/usr/include", place)).exists()
]


@pytest.fixture(scope="module")
def rules() -> list[dict[str, Any]]:
    profile = json.loads((corpus() / containers.PROFILE).read_text())
    assert profile["defaultAction"] == "SCMP_ACT_ERRNO"
    return profile["syscalls"]


def allowed(rules: list[dict[str, Any]]) -> list[str]:
    return [name for rule in rules if rule["action"] == "SCMP_ACT_ALLOW" for name in rule["names"]]


def test_each_rule_has_its_reason_and_each_call_of_labs_a_rule_of_its_own(rules):
    assert all(rule["comment"] for rule in rules)
    assert {rule["names"][0] for rule in rules if len(rule["names"]) == 1} == LABS | {"socket", "clone3"}


def test_nothing_else_is_allowed_that_agents_in_labs_are_refused(rules):
    assert set(seccomp._REFUSED) & set(allowed(rules)) - LABS == ORDINARY


def test_no_call_is_listed_twice_but_for_families_of_sockets(rules):
    names = [name for name in allowed(rules) if name != "socket"]
    assert len(names) == len(set(names))
    families = {rule["args"][0]["value"] for rule in rules if rule["names"] == ["socket"]}
    assert families == {int(family) for family in seccomp._FAMILIES}


@pytest.mark.skipif(not HEADERS, reason="the kernel's headers are missing (apt-get install linux-libc-dev)")
def test_each_name_is_one_of_the_kernels(rules):
    known = {name for path in HEADERS for name in re.findall(r"#define __NR(?:3264)?_(\w+)\s", path.read_text())}
    assert set(allowed(rules)) <= known
