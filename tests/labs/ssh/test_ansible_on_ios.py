"""Ansible's modules for IOS, unchanged, on an IOS device of a real lab."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(sys.prefix) / "ansible"
INVENTORY = """\
[routers]
R1 ansible_host={host} ansible_port={port}

[routers:vars]
ansible_connection=ansible.netcommon.network_cli
ansible_network_os=cisco.ios.ios
ansible_user={username}
ansible_password={password}
ansible_become=yes
ansible_become_method=enable
ansible_become_password={enable_secret}
ansible_network_cli_ssh_type=paramiko
"""
LOOPBACK = {
    "parents": "interface Loopback21",
    "lines": ["description by ansible", "ip address 192.0.2.21 255.255.255.255"],
}
PLAY = [
    {
        "hosts": "all",
        "gather_facts": False,
        "tasks": [
            {"cisco.ios.ios_facts": {"gather_subset": ["min", "interfaces"]}, "register": "facts"},
            {"cisco.ios.ios_config": LOOPBACK, "register": "first"},
            {"cisco.ios.ios_config": LOOPBACK, "register": "second"},
            {"cisco.ios.ios_command": {"commands": ["show ip interface brief"]}, "register": "shown"},
            {
                "ansible.builtin.copy": {
                    "content": (
                        "{{ {'facts': facts.ansible_facts, 'first': first, 'second': second, 'shown': shown.stdout} |"
                        " to_json }}"
                    ),
                    "dest": "{{ playbook_dir }}/seen.json",
                },
                "delegate_to": "localhost",
                "vars": {"ansible_connection": "local", "ansible_become": False},
            },
        ],
    }
]


@pytest.fixture(scope="module")
def seen(served, tmp_path_factory):
    """What a play saw."""
    program = FOLDER / "bin/ansible-playbook"
    if not program.exists():
        pytest.skip("Ansible is missing; fix: make setup")
    folder = tmp_path_factory.mktemp("ansible")
    (folder / "inventory.ini").write_text(INVENTORY.format(**served["R1"].model_dump()))
    (folder / "play.json").write_text(json.dumps(PLAY))
    done = subprocess.run(
        [program, "-i", folder / "inventory.ini", folder / "play.json"],
        env={
            **os.environ,
            "ANSIBLE_COLLECTIONS_PATH": str(FOLDER / "collections"),
            "ANSIBLE_HOME": str(folder / "home"),
            "ANSIBLE_HOST_KEY_CHECKING": "False",
            "ANSIBLE_PYTHON_INTERPRETER": str(FOLDER / "bin/python"),
            "LC_ALL": "C.UTF-8",
            "PATH": f"{FOLDER / 'bin'}:{os.environ['PATH']}",
        },
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        cwd=folder,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads((folder / "seen.json").read_text())


def test_facts_are_gathered(seen):
    facts = seen["facts"]
    assert (facts["ansible_net_system"], facts["ansible_net_hostname"]) == ("ios", "R1")
    assert "10.0.0.1" in facts["ansible_net_all_ipv4_addresses"]


def test_lines_are_configured_once(served, seen):
    assert (seen["first"]["changed"], seen["second"]["changed"]) == (True, False)
    assert "interface Loopback21\n description by ansible\n ip address 192.0.2.21 255.255.255.255" in served.config(
        "R1"
    )


def test_commands_are_answered(seen):
    assert "192.0.2.21" in seen["shown"][0]
