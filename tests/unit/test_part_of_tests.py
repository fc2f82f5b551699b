from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import parts
from tests.support.part_of_tests import part_of

MODULE = """\
import pathlib, pytest

@pytest.mark.parametrize("number", range(20))
def test_it(number):
    with open({log!r}, "a") as file:
        file.write(f"{{number}}\\n")
    assert number != 7 or pathlib.Path({mended!r}).exists()
"""


@pytest.fixture
def ran(pytester, monkeypatch, tmp_path):
    """Runs a part of twenty tests, of which number 7 fails until it is mended, and returns the numbers that ran."""
    log = tmp_path / "log"
    pytester.makepyfile(test_module=MODULE.format(log=str(log), mended=str(tmp_path / "mended")))
    monkeypatch.setattr(parts, "_kept", lambda test: tmp_path / "kept" / test)
    monkeypatch.setenv("NETBENCH_STAGE", "a stage")

    def run(part: str, *options: str, status: int = 0) -> set[int]:
        monkeypatch.setenv(parts.PART, part)
        log.write_text("")
        result = pytester.runpytest_inprocess("-p", "no:netbench", "-p", "tests.support.part_of_tests", *options)
        assert result.ret == status
        return {int(number) for number in log.read_text().split()}

    return run


OF_SEVEN = part_of("test_module.py::test_it[7]", 3)


def test_the_parts_are_the_whole_and_share_nothing(ran):
    found = [ran(f"{part}/3", status=1 if part == OF_SEVEN else 0) for part in (1, 2, 3)]
    assert sorted(number for one in found for number in one) == list(range(20))
    assert all(found)


def test_what_passed_is_not_run_again_and_what_failed_is(ran, tmp_path):
    assert ran("1/1", status=1) == set(range(20))
    assert ran("1/1", status=1) == {7}
    Path(tmp_path / "mended").touch()
    assert ran("1/1") == {7}
    assert ran("1/1") == set()


def test_workers_of_xdist_know_what_passed(ran):
    assert ran("1/1", "-n", "1", status=1) == set(range(20))
    assert ran("1/1", "-n", "1", status=1) == {7}


def test_another_stage_does_not_know_of_it(ran, monkeypatch):
    ran("1/1", status=1)
    monkeypatch.setenv("NETBENCH_STAGE", "another stage")
    assert ran("1/1", status=1) == set(range(20))


@pytest.mark.parametrize("words", ["0/3", "4/3", "x", "1/", "1"])
def test_a_part_that_is_none_is_refused(words):
    with pytest.raises(ValueError, match="expected i/n"):
        parts.asked_for(words)
