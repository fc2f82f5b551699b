"""The device of which programs make tunnels."""

from __future__ import annotations

import os
from pathlib import Path

from pytest_netbench.backends.netns import doctor
from pytest_netbench.backends.netns.checks import TUN, tun_check

_NOBODY = 65534


def test_a_device_that_can_be_opened_is_enough() -> None:
    assert tun_check(Path("/dev/null")).ok


def test_a_device_that_is_missing_needs_its_module(tmp_path: Path) -> None:
    check = tun_check(tmp_path / "tun")
    assert (check.ok, check.required) == (False, False)
    assert check.detail.endswith("tun cannot be opened (WireGuard tunnels of linux nodes): No such file or directory")
    assert str(check.remedy).endswith("modprobe tun")


def test_a_device_that_may_not_be_opened_says_so_and_how_it_may(tmp_path: Path) -> None:
    path, was = Path(f"/tmp/netbench-tun-{os.getpid()}"), os.geteuid()  # where another user may look
    path.touch(mode=0)
    try:
        if was == 0:
            os.seteuid(_NOBODY)
        check = tun_check(path)
    finally:
        os.seteuid(was)
        path.unlink()
    assert not check.ok
    assert check.detail == f"{path} may not be opened by this user (WireGuard tunnels of linux nodes)"
    assert check.remedy == f"sudo chmod 666 {path}"


def test_a_task_can_require_it() -> None:
    check = tun_check()
    assert doctor.lacks([TUN], ["linux"]) == (None if check.ok else (check.detail, check.remedy))
