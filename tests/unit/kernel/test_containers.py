from __future__ import annotations

from pathlib import Path

import pytest

from pytest_netbench.kernel import containers


def write(root: Path, path: str, text: str) -> None:
    target = root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text)


@pytest.mark.parametrize(
    ("mark", "text", "kind"),
    [
        (".dockerenv", "", "docker"),
        ("proc/1/cgroup", "0::/docker/ab", "docker"),
        ("proc/1/cgroup", "0::/lxc/ab", "docker"),
        ("run/.containerenv", "", "podman"),
        ("proc/1/cgroup", "0::/kubepods.slice/ab", "kubernetes"),
        ("var/run/secrets/kubernetes.io/x", "", "kubernetes"),
        ("proc/1/cgroup", "0::/init.scope", None),
    ],
)
def test_the_runtime_is_known_by_its_marks(tmp_path, mark, text, kind):
    write(tmp_path, mark, text)
    assert containers.runtime(tmp_path) == kind


@pytest.mark.parametrize(
    ("seccomp", "label", "found"),
    [
        ("0", "", ()),
        ("2", "", ("seccomp",)),
        ("0", "unconfined\n", ()),
        ("0", "docker-default (enforce)\n", ("apparmor",)),
        ("2", "docker-default (enforce)\n", ("seccomp", "apparmor")),
        ("2", "system_u:system_r:container_t:s0:c1,c2\0", ("seccomp",)),
    ],
)
def test_the_profiles_that_are_in_force_are_told(tmp_path, seccomp, label, found):
    write(tmp_path, "proc/self/status", f"Name:\tx\nSeccomp:\t{seccomp}\nSeccomp_filters:\t1\n")
    write(tmp_path, "proc/self/attr/current", label)
    assert containers.confining(tmp_path) == found


def test_a_proc_is_masked_where_something_lies_over_a_part_of_it(tmp_path):
    whole = "842 800 0:147 / /proc rw,nosuid - proc proc rw\n"
    write(tmp_path, "proc/self/mountinfo", whole)
    assert not containers.masks_proc(tmp_path)
    write(tmp_path, "proc/self/mountinfo", f"{whole}753 843 0:147 /sys /proc/sys ro - proc proc rw\n")
    assert containers.masks_proc(tmp_path)


@pytest.mark.parametrize(
    ("mark", "sentence"),
    [
        (".dockerenv", "start the container with --security-opt systempaths=unconfined --device /dev/net/tun, see "),
        ("run/.containerenv", "start the container with --security-opt unmask=ALL --device /dev/net/tun, see "),
        (
            "var/run/secrets/kubernetes.io/x",
            (
                "give the container of the pod procMount: Unmasked (and hostUsers: false for the pod)"
                " and a device plugin for /dev/net/tun, see "
            ),
        ),
    ],
)
def test_what_is_missing_is_told_in_the_words_of_the_runtime(tmp_path, mark, sentence):
    write(tmp_path, mark, "")
    assert containers.grant(["proc", "tun"], tmp_path) == sentence + containers.PAGE
