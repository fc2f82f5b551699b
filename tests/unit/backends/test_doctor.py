from __future__ import annotations

import os
import platform
from pathlib import Path

import pytest

from pytest_netbench.backends.netns.backend import NetnsBackend
from pytest_netbench.backends.netns.machine import checks, doctor, features, userns
from pytest_netbench.backends.netns.machine.userns import explain
from pytest_netbench.generators.networks import NetworkParameters, draw_network
from pytest_netbench.lab.request import LabRequest

linux = pytest.mark.skipif(platform.system() != "Linux", reason="asks a Linux kernel")


def write(root: Path, path: str, text: str) -> None:
    target = root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text)


# ---- why there are no namespaces ----


@pytest.mark.parametrize(
    ("path", "value", "reason", "remedy"),
    [
        ("user/max_user_namespaces", "0", "user.max_user_namespaces is 0", "user.max_user_namespaces=15000"),
        (
            "kernel/unprivileged_userns_clone",
            "0",
            "kernel.unprivileged_userns_clone is 0",
            "kernel.unprivileged_userns_clone=1",
        ),
        (
            "kernel/apparmor_restrict_unprivileged_userns",
            "1",
            "kernel.apparmor_restrict_unprivileged_userns is 1",
            "kernel.apparmor_restrict_unprivileged_userns=0",
        ),
    ],
)
def test_a_switch_that_forbids_user_namespaces_is_named_with_its_sysctl(tmp_path, path, value, reason, remedy):
    write(tmp_path, f"proc/sys/{path}", f"{value}\n")
    assert explain(tmp_path, "Operation not permitted") == (reason, f"sudo sysctl -w {remedy}")


@pytest.mark.parametrize(
    ("seccomp", "label", "whose", "options"),
    [
        ("2", "", "seccomp", ["seccomp=container/seccomp.json"]),
        ("0", "docker-default (enforce)", "AppArmor", ["apparmor=unconfined"]),
        (
            "2",
            "docker-default (enforce)",
            "seccomp or AppArmor",
            ["seccomp=container/seccomp.json", "apparmor=unconfined"],
        ),
    ],
)
def test_a_container_is_told_which_option_it_lacks(tmp_path, seccomp, label, whose, options):
    write(tmp_path, ".dockerenv", "")
    write(tmp_path, "proc/self/status", f"Seccomp:\t{seccomp}\n")
    write(tmp_path, "proc/self/attr/current", label)
    words = " ".join(f"--security-opt {option}" for option in options)
    assert explain(tmp_path, "Operation not permitted") == (
        f"the container's profile of {whose} forbids them (Operation not permitted)",
        f"start the container with {words}, see docs/how-to/run-in-a-container.md",
    )


def test_a_container_with_a_masked_proc_is_told_so_at_once(tmp_path):
    write(tmp_path, ".dockerenv", "")
    write(tmp_path, "proc/self/status", "Seccomp:\t2\n")
    write(tmp_path, "proc/self/mountinfo", "753 843 0:147 /sys /proc/sys ro - proc proc rw\n")
    remedy = explain(tmp_path, "Operation not permitted").remedy
    assert remedy is not None
    assert "seccomp=container/seccomp.json --security-opt systempaths=unconfined, see" in remedy


def test_a_kernel_without_user_namespaces_is_told_apart(tmp_path):
    write(tmp_path, "proc/self/status", "")
    assert explain(tmp_path, "x") == ("this kernel was built without CONFIG_USER_NS", None)


def test_a_chroot_is_told_apart(tmp_path):
    write(tmp_path, "proc/self/ns/user", "")
    write(tmp_path, "proc/self/mountinfo", "22 28 0:20 / /srv/root/proc rw - proc proc rw\n")
    assert explain(tmp_path, "x").reason == "the kernel forbids them inside a chroot"


def test_an_unknown_refusal_is_quoted(tmp_path):
    write(tmp_path, "proc/self/ns/user", "")
    write(tmp_path, "proc/self/mountinfo", "22 28 0:20 / / rw - ext4 /dev/vda rw\n")
    assert explain(tmp_path, "No space left on device") == ("No space left on device", None)


# ---- the report ----


@linux
def test_every_check_that_fails_says_what_is_missing():
    for check in doctor.report():
        assert check.detail
        if not check.ok and check.required:
            assert check.remedy, check


@linux
def test_the_report_covers_what_labs_need():
    names = {check.name for check in doctor.report()}
    assert {
        "user namespaces",
        "own /proc",
        "files of nodes",
        "FRR",
        "ip",
        "nft",
        "ping",
        "traceroute",
        "lab time",
        "pacer",
        "IOS rules",
        "wire",
        "switch",
        "memory",
    } <= names
    assert {"cgroups", "kernel features"} <= names


def test_elsewhere_than_on_linux_there_is_one_sentence(monkeypatch):
    monkeypatch.setattr(platform, "system", lambda: "Darwin")
    (only,) = doctor.report()
    assert only.detail == "labs are made of Linux namespaces, and this is Darwin"
    assert only.remedy is not None
    lack = doctor.lacks([], ["frr"])
    assert lack == (only.detail, only.remedy)


def test_memory_is_shared_out_in_labs_leaving_a_quarter_alone():
    assert checks.lab_slots(8 * checks.MEMORY_PER_NODE * 4) == 3
    assert checks.lab_slots(0) == 0


def test_the_available_memory_is_what_this_process_could_use():
    if platform.system() != "Linux":
        pytest.skip("reads /proc/meminfo")
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    assert 0 < checks.available_memory() <= total


# ---- what a task requires ----


@linux
def test_an_unknown_requirement_names_the_known_ones():
    lack = doctor.lacks(["netme"], [])
    assert lack is not None
    assert lack[0].startswith("unknown requirement 'netme' (known: 8021q, act_mirred, act_police, ")


@linux
def test_a_feature_that_the_kernel_has_is_not_lacking_and_one_it_has_not_is():
    present = features.kernel_features()
    assert "veth" in present
    assert doctor.lacks(sorted(present), ["frr", "linux"]) is None
    for name in set(features.FEATURES) - present:
        lack = doctor.lacks([name], ["linux"])
        assert lack is not None
        assert lack[0].startswith(f"the kernel has no {name} (")


@linux
def test_programs_daemons_and_versions_can_be_required():
    assert doctor.lacks(["ip", "bgpd", "frr>=8"], ["frr"]) is None
    assert doctor.lacks(["frr>=99.1"], ["frr"])[0].endswith("is older than 99.1")


@linux
def test_a_program_that_is_missing_comes_with_its_package(monkeypatch, tmp_path):
    monkeypatch.setattr(features, "PATH", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    detail, remedy = doctor.lacks(["iperf3"], [])
    assert detail == "unshare is not installed (makes namespaces)"
    assert remedy is not None
    assert remedy.endswith("apt-get install -y --no-install-recommends util-linux")


# ---- features ----


@linux
def test_every_feature_is_known_with_its_module():
    assert set(features.MODULES) == set(features.FEATURES)
    assert features.probe() <= set(features.FEATURES)


@linux
def test_what_was_probed_is_remembered_for_this_boot(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    first = features.kernel_features()
    (kept,) = (tmp_path / "pytest-netbench").glob("features-*.json")
    assert features.kernel_features() == first
    kept.write_text('["veth"]')
    assert features.kernel_features() == {"veth"}
    kept.write_text("not json")
    assert features.kernel_features() == first


@linux
def test_namespaces_are_tried_as_the_one_who_makes_labs():
    assert features.run_probe(["id", "-u"]).stdout.strip() == str(os.geteuid())
    assert userns.namespaces_refused() is None


@linux
def test_a_command_that_is_not_there_is_an_answer_and_no_exception():
    assert features.run_probe(["/nowhere/at/all"]).returncode == 127


# ---- servers of hosts ----


@linux
def test_a_network_with_servers_names_the_package_that_it_lacks(monkeypatch):
    network = draw_network(NetworkParameters(shape="star", services=("dns", "web")))
    which = checks.shutil.which
    monkeypatch.setattr(checks.shutil, "which", lambda name, **more: None if name == "dnsmasq" else which(name, **more))
    dialects = {node.name: network.platform_of(node.name) for node in network.topology.nodes}

    def lacks(topology):
        return NetnsBackend().lacks(LabRequest(name="x", topology=topology, dialects=dialects))

    reason, remedy = lacks(network.topology)
    assert reason == "dnsmasq is not installed (DNS servers of linux nodes)"
    assert remedy.endswith("apt-get install -y --no-install-recommends dnsmasq-base")
    assert lacks(draw_network(NetworkParameters(shape="star")).topology) is None
