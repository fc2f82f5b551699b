"""The Python that nodes can run."""

from __future__ import annotations

from pytest_netbench.backends.netns.machine.checks import interpreter_check


def test_a_python_that_is_there_is_named(tmp_path):
    python = tmp_path / "python3"
    python.touch()
    check = interpreter_check(python)
    assert (check.ok, check.detail) == (True, str(python))


def test_a_missing_python_says_what_needs_it_and_what_installs_it(tmp_path):
    check = interpreter_check(tmp_path / "python3")
    assert not check.ok
    assert "IOS routers run HSRP, VRRP, DHCP, IP SLA" in check.detail
    assert check.remedy is not None
    assert check.remedy.endswith("apt-get install -y --no-install-recommends python3")
