"""The device of which programs make tunnels."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_netbench.backends.netns.machine import doctor
from pytest_netbench.backends.netns.machine.checks import TUN, tun_check

DEVICE = Path("/dev/net/tun")
_NOBODY = 65534


def test_a_device_that_can_be_opened_is_enough() -> None:
    assert tun_check(Path("/dev/null")).ok


def test_a_device_that_is_missing_needs_its_module(tmp_path: Path) -> None:
    check = tun_check(tmp_path / "tun", root=tmp_path)
    assert (check.ok, check.required) == (False, False)
    assert check.detail.endswith("tun cannot be opened (WireGuard tunnels of linux nodes): No such file or directory")
    assert str(check.remedy).endswith("modprobe tun")


def test_a_device_that_may_not_be_opened_says_so_and_how_it_may(tmp_path: Path) -> None:
    path, was = Path(f"/tmp/netbench-tun-{os.getpid()}"), os.geteuid()  # where another user may look
    path.touch(mode=0)
    try:
        if was == 0:
            os.seteuid(_NOBODY)
        check = tun_check(path, root=tmp_path)
    finally:
        os.seteuid(was)
        path.unlink()
    assert not check.ok
    assert check.detail == f"{path} may not be opened by this user (WireGuard tunnels of linux nodes)"
    assert check.remedy == f"sudo chmod 666 {path}"


@pytest.mark.skipif(
    os.geteuid() != 0 or not DEVICE.exists() or DEVICE.stat().st_mode & 0o006 == 0o006,
    reason="needs root, and a device that only root may open",
)
def test_root_who_may_make_no_devices_cannot_lend_it() -> None:
    code = f"from {tun_check.__module__} import tun_check; one = tun_check(); print(one.ok, one.detail)"
    argv = ["unshare", "--user", "--map-root-user", sys.executable, "-c", code]
    said = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    assert said.startswith("False only root may open /dev/net/tun, and root may not copy it for labs: ")
    assert "Operation not permitted" in said
    assert tun_check().ok, "with all rights root may"


def test_a_task_can_require_it() -> None:
    check = tun_check()
    assert doctor.lacks([TUN], ["linux"]) == (None if check.ok else (check.detail, check.remedy))
