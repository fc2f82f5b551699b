from __future__ import annotations

import struct
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pytest_netbench.backends.netns.supervisor import labclock
from pytest_netbench.backends.netns.supervisor.labclock import LabClock


def fields(path: Path) -> tuple[int, int, int, float, int, int, int]:
    return struct.unpack("@Qqqdqqq", path.read_bytes())


def test_lab_time_starts_at_the_monotonic_clock_and_passes_factor_times_as_fast(tmp_path):
    before = time.monotonic()
    clock = LabClock.create(str(tmp_path / "clock"), 1000)
    assert clock.lab_now() >= before
    lab, wall = clock.lab_now(), time.monotonic()
    time.sleep(0.02)
    assert (clock.lab_now() - lab) / (time.monotonic() - wall) == pytest.approx(1000, rel=0.05)


def test_the_page_holds_sequence_bases_and_factor(tmp_path):
    LabClock.create(str(tmp_path / "clock"), 20)
    sequence, base_real, base_lab, factor, epoch, base_line, _ = fields(tmp_path / "clock")
    assert (sequence % 2, factor) == (0, 20.0)
    assert base_lab % 10**9 == 0, "daemons' seconds begin at the same moments in each lab"
    assert 0 <= base_lab - base_real < 10**9
    assert base_line == pytest.approx(base_real, abs=1e8)
    assert time.time() - (base_lab + epoch) / 1e9 == pytest.approx(0, abs=1)


def test_what_travels_goes_by_the_wall_at_any_factor_and_stands_still_with_the_lab(tmp_path):
    clock = LabClock.create(str(tmp_path / "clock"), 20)
    _, real, _, _, _, line, _ = fields(tmp_path / "clock")
    time.sleep(0.05)
    clock.set_factor(3)
    _, real_then, _, _, _, line_then, _ = fields(tmp_path / "clock")
    assert line_then - line == real_then - real
    clock.halt()
    halted = fields(tmp_path / "clock")
    time.sleep(0.05)
    clock.set_factor(20)
    assert fields(tmp_path / "clock")[5] == halted[5]


def test_the_realtime_clock_begins_at_a_date_and_passes_as_the_monotonic_one(tmp_path):
    clock = LabClock.create(str(tmp_path / "clock"), 1000, date=1_600_000_000.0)
    epoch = fields(tmp_path / "clock")[4]
    assert 1_600_000_000 <= clock.moment()[1] < 1_600_001_000
    assert clock.lab_now() + epoch / 1e9 == pytest.approx(clock.moment()[1], abs=10)
    clock.set_factor(1)
    assert fields(tmp_path / "clock")[4] == epoch


def test_a_new_factor_goes_on_from_the_present_lab_time(tmp_path):
    clock = LabClock.create(str(tmp_path / "clock"), 1e6)
    before = clock.lab_now()
    clock.set_factor(1e-6)
    now = clock.lab_now()
    assert now >= before
    assert clock.lab_now() - now < 1e-3
    assert clock.factor == 1e-6
    assert fields(tmp_path / "clock")[0] == 4


@pytest.mark.parametrize("factor", [0, -1, float("nan"), float("inf")])
def test_a_factor_that_is_not_a_positive_number_is_refused(tmp_path, factor):
    with pytest.raises(ValueError, match="a time scale must be a positive number, not"):
        LabClock.create(str(tmp_path / "clock"), factor)
    assert not (tmp_path / "clock").exists()
    clock = LabClock.create(str(tmp_path / "clock"), 2)
    with pytest.raises(ValueError, match="a time scale must be a positive number"):
        clock.set_factor(factor)
    assert clock.factor == 2


def test_a_page_that_is_there_already_is_not_taken_over(tmp_path):
    LabClock.create(str(tmp_path / "clock"), 2)
    with pytest.raises(FileExistsError):
        LabClock.create(str(tmp_path / "clock"), 2)


def test_the_module_needs_nothing_but_the_standard_library():
    code = (
        "import runpy, sys; sys.path = [p for p in sys.path if 'site-packages' not in p];"
        f" runpy.run_path({labclock.__file__!r})"
    )
    subprocess.run([sys.executable, "-I", "-S", "-c", code], check=True)


def test_the_clock_stops_by_itself_at_a_date_and_goes_on_from_there(tmp_path):
    clock = LabClock.create(str(tmp_path / "clock"), 1.0, date=1_600_000_000.0)
    clock.set_factor(1000.0, until=1_600_000_020.0)
    time.sleep(0.1)
    assert clock.moment()[1] == pytest.approx(1_600_000_020.0, abs=1e-6)
    clock.halt()
    assert clock.moment()[1] == pytest.approx(1_600_000_020.0, abs=1e-6)
    clock.set_factor(100.0)
    time.sleep(0.02)
    assert 1_600_000_022 <= clock.moment()[1] < 1_600_000_120
