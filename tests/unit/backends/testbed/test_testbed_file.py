"""What the file of a testbed may say, and what is wrong with one."""

from __future__ import annotations

import pytest

from pytest_netbench.backends.testbed.inventory.file import Variable
from pytest_netbench.backends.testbed.inventory.reading import read
from pytest_netbench.errors import UsageError

TESTBED = """\
disposable: true
wait: 2m
defaults:
  dialect: cisco_ios
  user: lab
  password: {env: LAB_PASSWORD}
  known-hosts: known
devices:
  R1: {address: 192.0.2.1, management: Gi0/9}
  b: {address: 192.0.2.2, node: R2, port: 2222, enable: {env: ENABLE}, host-key: ignore, disposable: false}
cables:
  - R1 Gi0/0 <-> b Gi 0/1
"""


def written(folder, text, name="testbed.yaml"):
    (folder / name).write_text(text)
    return folder / name


def test_a_testbed_is_read(tmp_path):
    testbed = read(written(tmp_path, TESTBED))
    one, two = testbed.devices.values()
    assert testbed.wait_s == 120
    assert (one.address, one.port, one.entry.disposable, one.entry.known_hosts) == ("192.0.2.1", 22, True, "known")
    assert one.entry.password == Variable(env="LAB_PASSWORD")
    assert (two.device.node, two.port, two.entry.disposable, two.entry.host_key) == ("R2", 2222, False, "ignore")
    assert [str(cable) for cable in testbed.site.cables] == ["R1 Gi0/0 <-> b Gi 0/1"]


def test_a_testbed_is_not_disposable_unless_it_says_so(tmp_path):
    (one,) = read(written(tmp_path, "devices: {R1: {dialect: cisco_ios}}")).devices.values()
    assert one.entry.disposable is False
    assert one.address == "R1"


def test_a_console_server_has_another_port(tmp_path):
    (one,) = read(written(tmp_path, "devices: {R1: {dialect: cisco_ios, connection: telnet}}")).devices.values()
    assert one.port == 23


def test_devices_of_another_inventory_come_first_and_are_overridden(tmp_path):
    written(tmp_path, "[r]\nR1 ansible_host=192.0.2.1 ansible_user=x\nR2 ansible_host=192.0.2.2\n", "hosts.ini")
    text = "inventory: hosts.ini\ndefaults: {dialect: cisco_ios, user: y}\ndevices: {R2: {port: 2022}, R3: {}}\n"
    one, two, three = read(written(tmp_path, text)).devices.values()
    assert [known.device.name for known in (one, two, three)] == ["R1", "R2", "R3"]
    assert [known.entry.user for known in (one, two, three)] == ["x", "y", "y"]
    assert (two.address, two.port) == ("192.0.2.2", 2022)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("devices:\n  R1:\n    password: hunter2\n", 3, "devices.R1.password: a password is never written into this"),
        ("defaults:\n  enable: hunter2\ndevices: {R1: {}}\n", 2, "defaults.enable: a password is never written"),
        ("devices:\n  R1: {}\n", 2, "device 'R1' has no dialect: give `dialect:`"),
        ("devices:\n  R1: {dialect: cisco}\n", 2, "device 'R1': unknown dialect 'cisco' (known: "),
        ("disposable: true\n", None, "names no devices: give `devices:`, or `inventory:`"),
        ("devices:\n  R1: {dialect: frr, adress: x}\n", 2, "device 'R1': unknown key 'adress' (known: address, "),
        ("devices:\n  R1: {dialect: frr, port: 0}\n", 2, "device 'R1': port: input should be greater than 0, not 0"),
        (
            "defaults: {dialect: cisco_ios}\ndevices:\n  R1: {}\n  b: {node: R1}\n",
            4,
            "devices 'R1' and 'b' both stand for node 'R1'",
        ),
        (
            "defaults: {dialect: cisco_ios}\ndevices: {R1: {}}\ncables:\n- R1 Gi0/0 - R2 Gi0/0\n",
            4,
            "cable 'R1 Gi0/0 - R2 Gi0/0': expected such as 'R1 Gi0/0 <-> R2 Gi0/0'",
        ),
        (
            "defaults: {dialect: cisco_ios}\ndevices: {R1: {}}\ncables:\n- R1 Gi0/0 <-> R2 Gi0/0\n",
            4,
            "cable 'R1 Gi0/0 <-> R2 Gi0/0': unknown device 'R2' (known: 'R1')",
        ),
        (
            (
                "defaults: {dialect: cisco_ios}\ndevices: {R1: {}, R2: {}}\ncables:\n- R1 Gi0/0 <-> R2 Gi0/0\n"
                "- R1 gi0/0 <-> R2 Gi0/1\n"
            ),
            5,
            "R1 gi0/0 has the cable 'R1 Gi0/0 <-> R2 Gi0/0' already",
        ),
        ("wait: soon\ndevices: {R1: {}}\n", 1, "wait: 'soon' is not a duration"),
        ("all: {hosts: {R1: {}}}\n", None, "is no testbed. If it is an inventory of Ansible or Nornir, write a file"),
        ("R1: {hostname: x}\n", None, "`inventory: testbed.yaml` and, if the configurations of its devices may be"),
        ("inventory: nothing.yaml\n", None, "nothing.yaml: cannot be read: No such file or directory"),
    ],
)
def test_errors_name_file_line_and_fix(tmp_path, text, line, message):
    path = written(tmp_path, text)
    with pytest.raises(UsageError) as error:
        read(path)
    assert message in str(error.value)
    assert "hunter2" not in str(error.value)
    if line is not None:
        assert str(error.value).startswith(f"{path}:{line}: ")


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("hosts.ini", "[r]\nR1 ansible_password=hunter2\n", 2),
        ("a.yaml", "all:\n  hosts:\n    R1: {ansible_password: hunter2}\n", 3),
        ("hosts.yaml", "R1: {hostname: x, password: hunter2}\n", 1),
    ],
)
def test_a_password_written_into_another_inventory_is_refused(tmp_path, name, text, line):
    other = written(tmp_path, text, name)
    with pytest.raises(UsageError) as error:
        read(written(tmp_path, f"inventory: {name}\ndefaults: {{dialect: cisco_ios}}\n"))
    assert str(error.value).startswith(f"{other}:{line}: R1: a password is written into the inventory; take it out")
    assert "hunter2" not in str(error.value)
