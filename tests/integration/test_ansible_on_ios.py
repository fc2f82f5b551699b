"""Ansible's modules for IOS, unchanged, on an IOS device of a real lab."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile

import pytest

from tests.support.programs import Build, Program

CORE, COLLECTIONS = "2.19.0", "12.0"
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


def ansible(build: Build) -> None:
    """Ansible with the collections for IOS alone: all that the package brings would be half a gigabyte."""
    build.run(sys.executable, "-m", "venv", "--without-pip", ".")
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check")
    python = build.folder / "bin/python"
    build.run(*pip, "--python", python, "install", "-q", "--no-compile", f"ansible-core~={CORE}", "paramiko")
    build.run(*pip, "download", "-q", "--no-deps", "--only-binary", ":all:", "-d", "loaded", f"ansible~={COLLECTIONS}")
    (wheel,) = build.folder.glob("loaded/ansible-*.whl")
    wanted = tuple(f"ansible_collections/{name}/" for name in ("ansible/netcommon", "ansible/utils", "cisco/ios"))
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(build.folder / "collections", [one for one in archive.namelist() if one.startswith(wanted)])
    wheel.unlink()


ANSIBLE = Program(name="ansible", version=f"{CORE}-{COLLECTIONS}", make=ansible)


@pytest.fixture(scope="module")
def seen(obtain, served, tmp_path_factory):
    """What a play saw."""
    kept = obtain(ANSIBLE)
    program = kept / "bin/ansible-playbook"
    folder = tmp_path_factory.mktemp("ansible")
    (folder / "inventory.ini").write_text(INVENTORY.format(**served["R1"].model_dump()))
    (folder / "play.json").write_text(json.dumps(PLAY))
    done = subprocess.run(
        [program, "-i", folder / "inventory.ini", folder / "play.json"],
        env={
            **os.environ,
            "ANSIBLE_COLLECTIONS_PATH": str(kept / "collections"),
            "ANSIBLE_HOME": str(folder / "home"),
            "ANSIBLE_HOST_KEY_CHECKING": "False",
            "ANSIBLE_PYTHON_INTERPRETER": str(kept / "bin/python"),
            "LC_ALL": "C.UTF-8",
            "PATH": f"{kept / 'bin'}:{os.environ['PATH']}",
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
