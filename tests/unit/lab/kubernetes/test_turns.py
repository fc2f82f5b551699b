"""When agents may change something: while at least one of several commands or logins may."""

from __future__ import annotations

import threading

import pytest

from pytest_netbench.errors import LabError
from pytest_netbench.lab.kubernetes.turns import Turns


def test_changes_are_permitted_until_the_last_one_has_ended():
    told: list[bool] = []
    turns = Turns(told.append)
    with turns.turn():
        with turns.turn():
            assert (told, turns.is_any) == ([True], True)
        assert (told, turns.is_any) == ([True], True)
    assert (told, turns.is_any) == ([True, False], False)
    with turns.turn():
        assert told == [True, False, True]


def test_the_second_one_waits_until_changes_are_permitted():
    asked, permitted = threading.Event(), threading.Event()

    def allow(allowed: bool) -> None:
        if allowed:
            asked.set()
            permitted.wait()

    turns = Turns(allow)
    began: list[str] = []

    def work(name: str) -> None:
        with turns.turn():
            began.append(name)

    threads = [threading.Thread(target=work, args=(name,)) for name in ("first", "second")]
    threads[0].start()
    asked.wait()
    threads[1].start()
    threads[1].join(timeout=0.1)
    assert began == []
    permitted.set()
    for thread in threads:
        thread.join()
    assert sorted(began) == ["first", "second"]


def test_who_is_not_permitted_to_change_anything_does_not_count():
    answers = iter((LabError("no"), None, None))

    def allow(_allowed: bool) -> None:
        if (error := next(answers)) is not None:
            raise error

    turns = Turns(allow)
    with pytest.raises(LabError, match="no"), turns.turn():
        pass
    assert not turns.is_any
    with turns.turn():
        assert turns.is_any
