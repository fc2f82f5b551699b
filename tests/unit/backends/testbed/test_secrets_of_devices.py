"""What agents and results see of the passwords of devices: nothing."""

from __future__ import annotations

import pytest

from pytest_netbench.lab.attaching.exchanging import without_secrets


@pytest.mark.parametrize(
    "line",
    [
        "username op privilege 15 secret 5 $1$SECRET",
        "username op password SECRET",
        "enable secret 9 $9$SECRET",
        "enable password SECRET",
        " password 7 SECRET",
        "snmp-server community SECRET RO",
        "username op privilege 15 role network-admin secret sha512 $6$SECRET",
        "enable password sha512 $6$SECRET",
        'set system login user op authentication encrypted-password "$6$SECRET"',
        '            encrypted-password "$6$SECRET"; ## SECRET-DATA',
    ],
)
def test_a_password_is_hidden(line: str) -> None:
    shown = without_secrets(f"hostname R1\n{line}\nip route 10.0.0.0 255.0.0.0 Null0\n")
    assert "SECRET" not in shown.replace("SECRET-DATA", "")
    assert "<hidden>" in shown
    assert shown.startswith("hostname R1\n")
    assert shown.endswith("ip route 10.0.0.0 255.0.0.0 Null0\n")


@pytest.mark.parametrize("line", [" neighbor 10.0.0.2 password shared", "ip ospf authentication-key shared"])
def test_what_a_task_configures_is_shown(line: str) -> None:
    assert without_secrets(line) == line
