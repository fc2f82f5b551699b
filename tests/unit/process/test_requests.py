"""Requests of a trace: kinds, errors, and what an agent undid."""

from __future__ import annotations

from typing import Any

from pytest_netbench.model.trial import Step
from pytest_netbench.process.requests import requests_of
from pytest_netbench.process.verdicts import undone


def ani(method: str, params: dict[str, Any], **outcome: Any) -> Step:
    return Step(at_s=0.0, kind="ani", data={"method": method, "params": params, **outcome})


def update(device: str, *commands: str, refused: tuple[str, ...] = ()) -> Step:
    results = [{"command": one, "status": "error" if one in refused else "success"} for one in commands]
    return ani("update-cfg", {"device": device, "commands": list(commands)}, result={"results": results})


def execute(command: str, output: str = "", device: str = "R1") -> Step:
    return ani("execute-cmd", {"device": device, "command": command}, result={"output": output})


def typed(line: str, kind: str, output: str = "") -> Step:
    params = {"device": "R1", "session": "1", "line": line, "kind": kind}
    return ani("console", params, result={"output": output})


def test_requests_have_kinds_and_the_numbers_of_the_trace() -> None:
    trace = (
        execute("show ip route"),
        Step(at_s=0.1, kind="note", data={"text": "a retry"}),
        execute("ping 10.0.0.1"),
        typed("configure terminal", "session"),
        typed("hostname X", "configure"),
        typed("show clock", "read"),
        ani("of-another-package", {}),
    )
    assert [(one.number, one.kind) for one in requests_of(trace)] == [
        (1, "look"),
        (2, "measure"),
        (4, "change"),
        (5, "look"),
        (6, "other"),
    ]


def test_what_is_refused_errs_and_what_comes_too_late_does_not_count() -> None:
    trace = (
        execute("show nonsense", "      ^\n% Invalid input detected at '^' marker.\n"),
        execute("foo", "sh: 1: foo: not found\n"),
        execute("show ip route", "% Network not in table\n"),
        update("R1", "no shutdown", "mend", refused=("mend",)),
        ani("execute-cmd", {"device": "R9"}, error={"message": "unknown device"}),
        typed("hostname", "configure", "% Incomplete command.\n"),
        ani("execute-cmd", {"device": "R1"}, error={"message": "budget exhausted: calls (allowed 5)"}),
        execute("show clock", "12:00 load 5 %"),
    )
    found = requests_of(trace)
    assert [one.errs for one in found] == [True, True, True, True, True, True, False]
    assert found[3].applied == ("no shutdown",)
    assert found[3].refused == ("mend",)
    assert found[5].applied == ()


def found(platform: str, *steps: Step) -> tuple[str, ...]:
    return undone(requests_of(steps), {"R1": platform})


def test_a_line_that_is_taken_back_is_undone() -> None:
    assert found("frr", update("R1", "ip route 10.0.0.0/8 Null0"), update("R1", "no ip route 10.0.0.0/8 Null0")) == (
        "R1: ip route 10.0.0.0/8 Null0",
    )
    assert found(
        "frr", update("R1", "interface eth0", " no shutdown"), update("R1", "interface eth0", " shutdown")
    ) == ("R1: shutdown",)
    taken = (update("R1", "ip route add 10.0.0.0/8 via 10.1.1.1"), update("R1", "ip route del 10.0.0.0/8 via 10.1.1.1"))
    assert found("linux", *taken) == ("R1: ip route 10.0.0.0/8 via 10.1.1.1",)


def test_other_changes_are_not_undone() -> None:
    cost = (update("R1", "interface eth0", " ip ospf cost 10"), update("R1", "interface eth0", " ip ospf cost 20"))
    assert found("frr", *cost) == ()
    order = update("R1", "ip access-list extended A", " no permit ip any any", " permit ip any any")
    assert found("cisco_ios", update("R1", "ip access-list extended A", " permit ip any any"), order) == ()
    elsewhere = (update("R1", "interface eth0", " shutdown"), update("R1", "interface eth1", " no shutdown"))
    assert found("frr", *elsewhere) == ()
    refused = (update("R1", "hostname X", refused=("hostname X",)), update("R1", "no hostname X"))
    assert found("frr", *refused) == ()
