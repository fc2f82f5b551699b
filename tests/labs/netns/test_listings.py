"""Listings that need a capability, asked for by shells that have none."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from pytest_netbench.platforms.access import Completed, SandboxLimits
from tests.labs.netns.conftest import Deploy
from tests.support import host
from tests.support.netns_networks import pair

READS = ("nft", "iptables", "iptables-save", "ip6tables", "conntrack")
RULES = "table inet kept {\n\tchain c {\n\t\ttcp dport 22 drop\n\t}\n}\n"


@pytest.fixture(scope="module")
def node(deploy: Deploy) -> Any:
    node = deploy(pair()).nodes["a"]
    assert node.run(["nft", "-f", "-"], input=RULES).returncode == 0
    return node


@pytest.fixture(autouse=True)
def the_rules_stay_and_listings_go_on(node: Any) -> Iterator[None]:
    yield
    assert node.run(["nft", "list", "ruleset"]).stdout == RULES
    assert look(node, "nft list ruleset").stdout == RULES


def look(node: Any, command: str, timeout_s: float = 5.0) -> Completed:
    return node.shell(command, writable=False, reads=READS, limits=SandboxLimits(timeout_s=timeout_s))


def test_a_listing_comes_whole_and_in_a_pipe_too(node: Any) -> None:
    assert look(node, "nft list ruleset | grep -c dport").stdout == "1\n"
    assert look(node, "nft -j list ruleset").stdout.startswith('{"nftables"')


def test_the_programs_own_status_and_words_come_back(node: Any) -> None:
    done = look(node, "nft list table inet absent")
    assert done.returncode == 1
    assert "No such file or directory" in done.stdout + done.stderr


@pytest.mark.parametrize(
    "command",
    [
        "nft flush ruleset",
        "nft 'list ruleset; flush ruleset'",
        "nft list ruleset \\; flush ruleset",
        "echo 'flush ruleset' > /tmp/x; nft -f /tmp/x list ruleset",
        "echo 'flush ruleset' > /tmp/x; nft -f /tmp/x",
        "iptables -F",
        "iptables -L --modprobe=/tmp/x",
        "iptables -A INPUT -j DROP",
        "iptables-save -f /tmp/y",
        "conntrack -F",
        "/usr/sbin/nft flush ruleset",
        "printf 'iptables-/../../tmp/x\\037-L\\037\\n' >&9; head -c 21 <&8; exit 1",
        "printf 'sh\\037-L\\037\\n' >&9; head -c 16 <&8; exit 1",
        "printf 'nft\\037list\\037ruleset\\nflush ruleset\\037\\n' >&9; sleep 0.2; exit 1",
    ],
)
def test_nothing_but_listings_is_run(node: Any, command: str) -> None:
    done = look(node, command)
    assert done.returncode != 0
    assert "tcp dport 22 drop" not in done.stdout or "printf" in command


@pytest.mark.parametrize(
    "abuse",
    [
        "head -c 300000 /dev/urandom >&9",
        "head -c 300000 /dev/zero | tr '\\0' x >&9; echo >&9",
        "yes nft >&9",
        "for i in $(seq 1000); do printf 'nft\\037list\\037ruleset\\037\\n'; done >&9",
        "for i in $(seq 1000); do printf 'nft\\037list\\037ruleset\\037\\n'; done >&9; exec 8<&-; sleep 5",
        "printf 'nft\\037list\\037ruleset\\037\\n' >&9",
        "exec 8<&- 9>&-; sleep 0.1",
        "(printf 'nft\\037list\\037ruleset' >&9; sleep 60) & exit 3",
    ],
)
def test_a_desk_that_is_abused_serves_the_others(node: Any, abuse: str) -> None:
    started = time.monotonic()
    look(node, abuse, timeout_s=0.5)
    assert time.monotonic() - started < 2.5


def test_a_flood_of_questions_starts_one_program_at_a_time(deploy: Deploy) -> None:
    lab = deploy(pair())
    flood = "for i in $(seq 400); do printf 'nft\\037list\\037ruleset\\037\\n'; done >&9; sleep 5"
    most = 0

    def count() -> None:
        nonlocal most
        for _ in range(40):
            pids = list(host.below(lab.supervisor_pid))
            most = max(most, sum(host.command_line(pid).startswith(b"nft\0") for pid in pids))

    watcher = threading.Thread(target=count)
    watcher.start()
    look(lab.nodes["a"], flood, timeout_s=0.6)
    watcher.join()
    assert most <= 1


def test_descriptors_are_not_used_up_by_looks(node: Any, deploy: Deploy) -> None:
    lab = deploy(pair())
    inner = lab.supervisor_pid

    def held() -> int:
        return len(host.descriptors(inner))

    before = held()
    for _ in range(10):
        look(lab.nodes["a"], "nft list ruleset")
        look(lab.nodes["a"], "printf 'nft\\037list\\037ruleset\\037\\n' >&9")
    deadline = time.monotonic() + 2
    while held() > before and time.monotonic() < deadline:
        os.sched_yield()  # the last listing is still being read
    assert held() <= before
