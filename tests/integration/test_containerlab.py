"""Labs of the real containerlab, with containers of the distribution's own FRR."""

from __future__ import annotations

import json
import os
import signal
import time

from tests.integration.containerlab import NEEDED, NOTHING, QUIET, TASK, Site

ROUTED = "tasks/routing/static-floating-backup.task.yaml"

pytestmark = NEEDED


def test_doctor_says_that_labs_can_run_and_with_which_images(site: Site) -> None:
    shown = site.run("-m", "pytest_netbench.cli", "doctor", "--backend", "containerlab")
    assert "labs can run here" in shown
    assert "image netbench-integration:frr" in shown


def test_a_shipped_task_has_the_verdicts_that_it_has_on_namespaces(site: Site) -> None:
    shown, results = site.pytest(TASK, "--agent=oracle", "--agent=nop")
    by_agent = {one["agent"]["id"]: one for one in results}
    assert by_agent["oracle"]["status"] == "passed", shown
    assert by_agent["nop"]["status"] == "failed", shown
    assert {one["environment"]["backend"] for one in results} == {"containerlab"}
    assert all("vtysh" in one["environment"]["isolation"]["read_only"] for one in results)
    assert site.left() == NOTHING


def test_routers_run_the_frr_of_their_image_and_links_are_cut_and_restored(site: Site) -> None:
    shown, (result,) = site.pytest(ROUTED, "--agent=oracle")
    assert result["status"] == "passed", shown
    assert result["environment"]["platforms"]["frr"].startswith(("8.", "9.", "10."))
    assert site.left() == NOTHING


PROGRAM = """
import json, sys
from pathlib import Path
from pytest_netbench import parts
from pytest_netbench.lab.request import request_of
from pytest_netbench.taskfile import load_task
from pytest_netbench.platforms.linux.driver import PRIVILEGED_READS

lab = parts.load("backends", "containerlab")().deploy(request_of(load_task(Path(sys.argv[1]))))
node = lab.nodes["gw"]
node.run(["nft", "add", "table", "ip", "seen"])
said = {}
for what, command, writable in (
    ("who", "id -u; grep CapEff /proc/self/status", False),
    ("files", "touch /etc/x /root/x /run/x /usr/x; ls /work /home", False),
    ("links", "ip link set lo down", False),
    ("listing", "nft list ruleset", False),
    ("flush", "nft flush ruleset", False),
    ("others", "ls /proc | grep -c '^[0-9]'; kill -9 -1", False),
    ("change", "ip route add 203.0.113.77 dev lo && ip route show 203.0.113.77", True),
    ("who changes", "id -u; grep CapEff /proc/self/status", True),
    ("machine", "echo x > /proc/sys/kernel/core_pattern; echo b > /proc/sysrq-trigger", True),
    ("namespaces", "unshare -n true; nsenter -t 1 -n true", True),
    ("home", "env; cat /proc/cmdline", True),
    ("group", "cat /proc/self/cgroup", True),
):
    done = node.shell(command, writable=writable, reads=() if writable else PRIVILEGED_READS)
    said[what] = [done.returncode, done.stdout + done.stderr]
said["first"] = [0, node.run(["cat", "/proc/1/cgroup"]).stdout]
print(json.dumps(said))
lab.destroy()
lab.await_cleanup()
"""


def test_commands_of_agents_have_no_more_rights_than_they_need(site: Site) -> None:
    site.environment["SECRET_KEY"] = "sk-outside"
    shown = site.run("-c", PROGRAM, TASK)
    said = json.loads(next(line for line in shown.splitlines() if line.startswith("{")))
    assert int(said["who"][1].split()[0]) > 65536
    assert said["who"][1].endswith("CapEff:\t0000000000000000\n")
    assert said["files"][1].count("cannot touch") == 4
    assert "No such file" in said["files"][1]
    assert "not permitted" in said["links"][1]
    assert "table ip seen" in said["listing"][1]
    assert "listings only" in said["flush"][1]
    assert int(said["others"][1].split()[0]) < 10
    assert "203.0.113.77" in said["change"][1]
    assert said["who changes"][1].endswith("CapEff:\t0000000000003400\n")
    assert said["machine"][1].count("cannot create") == 2
    assert said["namespaces"][1].count("not permitted") == 2
    assert "sk-outside" not in said["home"][1]
    assert said["group"][1] == said["first"][1]  # what an agent runs counts towards the memory of its container
    assert site.left() == NOTHING


def test_what_a_killed_run_leaves_is_removed_by_clean(site: Site) -> None:
    process = site.start("-m", "pytest", *QUIET, TASK, "--agent=nop", "--netbench-backend=containerlab")
    ends_at = time.monotonic() + 60
    while not site.left()["containers"] and time.monotonic() < ends_at:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert site.left()["folders"]
    shown = site.run("-m", "pytest_netbench.cli", "clean")
    assert "containerlab: removed netbench-nat-port-forward" in shown
    assert site.left() == NOTHING
    assert "nothing to remove" in site.run("-m", "pytest_netbench.cli", "clean")


def test_a_deployment_that_fails_says_why_and_leaves_nothing(site: Site) -> None:
    kinds = site.folder / "wrong.yaml"
    kinds.write_text("frr: {image: 'netbench-integration:none'}\nlinux: {image: 'netbench-integration:none'}\n")
    before = site.environment["NETBENCH_KINDS"]
    site.environment["NETBENCH_KINDS"] = str(kinds)
    try:
        shown, _ = site.pytest(TASK, "--agent=nop")
    finally:
        site.environment["NETBENCH_KINDS"] = before
    assert "containerlab deploy" in shown
    assert "netbench-integration:none" in shown
    assert site.left() == NOTHING
