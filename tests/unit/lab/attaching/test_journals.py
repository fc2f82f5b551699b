"""Journals of what is put back, and locks."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pytest_netbench.deadline import poll
from pytest_netbench.errors import LabError
from pytest_netbench.lab.attaching.journal import Journals, key


@pytest.fixture
def journals(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return Journals("things", what="a thing")


def test_a_journal_is_there_until_it_is_forgotten(journals):
    journals.write("one", {"config": "x"})
    assert list(journals.names()) == ["one"]
    assert journals.read("one") == {"config": "x"}
    assert {path.stat().st_mode & 0o777 for path in journals.state().iterdir()} == {0o600}
    journals.forget("one")
    assert journals.read("one") is None
    assert list(journals.names()) == []


@pytest.mark.parametrize("text", ["{", "[]"])
def test_a_journal_that_cannot_be_read_is_an_error_that_names_it(journals, text):
    (journals.state() / "one.json").write_text(text)
    with pytest.raises(LabError, match=r"one\.json: the journal of a thing cannot be read"):
        journals.read("one")


def test_names_of_files_have_no_other_characters():
    assert key("fe80::1", 22) == "fe80_1_22"


def test_a_lock_ends_with_its_process(journals):
    program = (
        "import sys; from pytest_netbench.lab.attaching.journal import Journals;"
        " lock = Journals('things', what='a thing').lock('one', 'thing one', wait_s=0); print('held', flush=True);"
        " sys.stdin.read()"
    )
    holder = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    with holder:
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(LabError, match=f"thing one: in use by process {holder.pid} on "):
            journals.lock("one", "thing one", wait_s=0.3)
        holder.kill()
    lock = poll(lambda: journals.lock("one", "thing one", wait_s=1), until=bool, within_s=5, pause_s=0.1)
    lock.release()
    lock.release()
