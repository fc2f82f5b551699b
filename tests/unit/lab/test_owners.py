"""Who owns what outlives a killed process."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
import time

import pytest

from pytest_netbench.kernel import processes
from pytest_netbench.lab.owners import Owner

NOBODY = 2**22 + 1  # above the kernel's greatest process number


def test_this_process_lives_also_as_read_from_a_file():
    owner = Owner.here()
    assert Owner.from_json(owner.to_json()) == owner
    assert owner.lives() is True


def test_a_process_that_has_ended_does_not_live_even_before_its_parent_has_asked():
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    owner = dataclasses.replace(Owner.here(), pid=child.pid, started=processes.started(child.pid))
    assert owner.lives() is True
    child.kill()
    end = time.monotonic() + 10
    while owner.lives() and time.monotonic() < end:
        time.sleep(0.01)
    assert owner.lives() is False
    child.wait()
    assert owner.lives() is False


@pytest.mark.parametrize(
    ("changed", "lives"),
    [
        ({"machine": "another"}, None),
        ({"machine": "another", "boot": "another"}, None),
        ({"processes": "pid:[1]"}, None),
        ({"boot": "another"}, False),
        ({"boot": "another", "processes": "pid:[1]"}, False),
        ({"pid": NOBODY}, False),
        ({"started": "1"}, False),
    ],
)
def test_what_of_an_owner_is_another(changed, lives):
    assert dataclasses.replace(Owner.here(), **changed).lives() is lives


@pytest.mark.parametrize("text", ["", "[]", "{}", "3", json.dumps({"pid": 1}), "nonsense"])
def test_a_file_that_names_no_owner_is_told(text):
    with pytest.raises(ValueError, match=r"."):
        Owner.from_json(text)


@pytest.mark.parametrize("wrong", [{"pid": "1"}, {"pid": None}, {"machine": []}, {"more": 1}])
def test_a_file_with_wrong_values_names_no_owner(wrong):
    with pytest.raises(ValueError, match="names no owner"):
        Owner.from_json(json.dumps(json.loads(Owner.here().to_json()) | wrong))


def test_a_machine_has_its_name_in_the_sentence():
    assert str(Owner.here()) == f"process {os.getpid()} on {os.uname().nodename}"
