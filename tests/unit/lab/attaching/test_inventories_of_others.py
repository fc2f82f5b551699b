"""What the inventories of Ansible and Nornir say of devices."""

from __future__ import annotations

import pytest

from pytest_netbench.errors import UsageError
from pytest_netbench.lab.attaching.inventories import ansible, nornir
from pytest_netbench.lab.attaching.inventories.host import Secret

YAML = """\
all:
  vars: {ansible_user: everybody, ansible_port: 2022}
  children:
    routers:
      vars:
        ansible_network_os: cisco.ios.ios
        ansible_user: lab
        ansible_password: "{{ lookup('env', 'LAB_PASSWORD') }}"
      hosts:
        R1: {ansible_host: 192.0.2.1}
        R2:
          ansible_host: 192.0.2.2
          ansible_port: 22
          ansible_become_password: hush
    others:
      hosts:
        host1: {ansible_host: 192.0.2.9, ansible_network_os: linux}
"""
INI = """\
# a comment
[routers]
R1 ansible_host=192.0.2.1
R2 ansible_host=192.0.2.2 ansible_port=22 ansible_become_password="hush"

[others]
host1 ansible_host=192.0.2.9 ansible_network_os=linux

[routers:vars]
ansible_network_os=cisco.ios.ios
ansible_user=lab
ansible_password="{{ lookup('env', 'LAB_PASSWORD') }}"

[all:children]
routers
others

[all:vars]
ansible_user=everybody
ansible_port=2022
"""


@pytest.mark.parametrize(("name", "text"), [("inventory.yml", YAML), ("inventory.ini", INI), ("hosts", INI)])
def test_an_inventory_of_ansible_is_read_in_both_forms(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    one, two, host = ansible.read(tmp_path / name)
    assert (one.name, one.address, one.port, one.dialect, one.user) == ("R1", "192.0.2.1", 2022, "cisco_ios", "lab")
    assert one.password == Secret(variable="LAB_PASSWORD")
    assert (two.port, two.enable) == (22, Secret(written="hush"))
    assert (host.name, host.dialect, host.user, host.password) == ("host1", "linux", "everybody", None)
    assert "hush" not in repr(two)


def test_variables_of_groups_and_hosts_are_read_from_their_folders(tmp_path):
    (tmp_path / "inventory.yml").write_text(YAML)
    for folder, name, text in (
        ("group_vars", "all", "ansible_ssh_private_key_file: ~/.ssh/lab\n"),
        ("group_vars", "routers", "ansible_user: operator\n"),
        ("host_vars", "R2", "ansible_user: second\n"),
    ):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / f"{name}.yml").write_text(text)
    one, two, host = ansible.read(tmp_path / "inventory.yml")
    assert (one.user, two.user, host.user) == ("operator", "second", "everybody")
    assert {one.key for one in (one, two, host)} == {"~/.ssh/lab"}


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "a.yml",
            "all:\n  hosts:\n    R1: {ansible_network_os: vyos}\n",
            "a.yml:3: unknown platform 'vyos' (known: ios",
        ),
        ("a.yml", "all:\n  host: {}\n  vars: {}\n", "a.yml:2: group 'all': unknown key 'host' (known: hosts,"),
        ("a.yml", "all:\n  hosts:\n    r[1:3]: {}\n", "a.yml:3: 'r[1:3]': write each host by its own name"),
        ("a.yml", "all:\n  hosts:\n    R1: {ansible_port: x}\n", "a.yml:3: 'x' is no port (1 to 65535)"),
        ("a.yml", "all:\n  hosts:\n    R1:\n      ansible_host: '{{ x }}'\n", "a.yml:4: ansible_host: templates are"),
        ("a", "[r]\nR1 x\n", "a:2: expected KEY=VALUE behind 'R1'"),
        ("a", "[r]\nR1 x='y\n", "a:2: a quotation has no end"),
        ("a", "[r:vars]\nx\n", "a:2: expected KEY=VALUE, not 'x'"),
        ("a", "[a]\nR1\n[a:children]\nb\n[b:children]\nc\n[c:children]\nb\n", "a:5: group 'b' is a child of itself"),
    ],
)
def test_errors_name_file_and_line(tmp_path, name, text, message):
    (tmp_path / name).write_text(text)
    with pytest.raises(UsageError) as error:
        ansible.read(tmp_path / name)
    assert message in str(error.value)


HOSTS = """\
R1: {hostname: 192.0.2.1, groups: [ios]}
R2:
  hostname: 192.0.2.2
  port: 2222
  groups: [ios]
  password: hush
"""
GROUPS = """\
ios: {platform: ios, groups: [lab]}
lab:
  username: lab
  connection_options: {netmiko: {extras: {secret: more}}}
"""


@pytest.mark.parametrize("of", ["", "hosts.yaml"])
def test_an_inventory_of_nornir_is_read_with_its_groups_and_defaults(tmp_path, of):
    for name, text in (("hosts", HOSTS), ("groups", GROUPS), ("defaults", "port: 22\nusername: nobody\n")):
        (tmp_path / f"{name}.yaml").write_text(text)
    one, two = nornir.read(tmp_path / of)
    assert (one.address, one.port, one.dialect, one.user) == ("192.0.2.1", 22, "cisco_ios", "lab")
    assert (two.port, two.password, two.enable) == (2222, Secret(written="hush"), Secret(written="more"))


def test_a_group_of_nornir_that_is_not_there_is_named(tmp_path):
    (tmp_path / "hosts.yaml").write_text("R1:\n  groups: [nothing]\n")
    with pytest.raises(UsageError, match=r"hosts\.yaml:2: there is no group 'nothing'"):
        nornir.read(tmp_path)
