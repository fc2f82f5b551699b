"""Whoever watches an agent's work is told of batches of lines, and of nothing that only reads."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest

from pytest_netbench.ani import watching
from pytest_netbench.ani.interface import AgentInterface
from pytest_netbench.ani.policy import Policy
from pytest_netbench.errors import AniError, LabError
from pytest_netbench.model.task import Budget
from pytest_netbench.platforms.capabilities import NOTICES
from tests.support.memory_lab import DIALECTS, chain


class Diary:
    """Writes down what it is told."""

    def __init__(self) -> None:
        self.entries: list[tuple[str, ...]] = []
        self.takes_s = 0.0
        self.fails = False

    @contextmanager
    def changing(self, device: str, lines: Sequence[str], *, at_s: float) -> Iterator[None]:
        self.entries.append(("begin", device, *lines))
        time.sleep(self.takes_s)
        yield
        self.entries.append(("end", device))
        if self.fails:
            raise LabError("it broke")

    def wait_for(self, count: int) -> None:
        ends_at = time.monotonic() + 5
        while len(self.entries) < count and time.monotonic() < ends_at:
            time.sleep(0.01)


@pytest.fixture
def diary() -> Diary:
    return Diary()


@pytest.fixture
def ani(diary):
    made = AgentInterface(
        chain(control={"web": "observed"}),
        policy=Policy(),
        budget=Budget(calls=None, commands=None, wall_s=None),
        dialects=DIALECTS,
    )
    made.watch(diary)
    yield made
    made.close()


def enter(ani: AgentInterface, line: str, *, device: str = "edge", session: str = "1", kind: str = "configure") -> None:
    with ani.network.guard().enter(device, session, line, kind):
        pass


def test_a_batch_of_update_cfg_is_one_change_and_reading_is_none(ani, diary):
    ani.get_running_cfg("edge")
    ani.execute_cmd("edge", "show running-config")
    ani.update_cfg("edge", ["mark 1", "mark 2"])
    assert diary.entries == [("begin", "edge", "mark 1", "mark 2"), ("end", "edge")]


def test_a_request_that_is_refused_is_no_change(ani, diary):
    with pytest.raises(AniError):
        ani.update_cfg("web", ["mark 1"])
    assert diary.entries == []


def test_lines_that_follow_each_other_at_a_prompt_are_one_change(ani, diary, monkeypatch):
    monkeypatch.setattr(watching, "IDLE_S", 0.5)
    for line in ("mark 1", "mark 2", "mark 3"):
        enter(ani, line)
    diary.wait_for(2)
    assert diary.entries == [("begin", "edge", "mark 1"), ("end", "edge")]


def test_a_line_after_a_pause_is_a_change_of_its_own(ani, diary, monkeypatch):
    monkeypatch.setattr(watching, "IDLE_S", 0.01)
    enter(ani, "mark 1")
    diary.wait_for(2)
    enter(ani, "mark 2")
    diary.wait_for(4)
    assert [entry[0] for entry in diary.entries] == ["begin", "end", "begin", "end"]


def test_a_line_that_does_not_end_is_a_change_for_a_limited_time(ani, diary, monkeypatch):
    monkeypatch.setattr(watching, "UNENDED_S", 0.05)
    with ani.network.guard().enter("edge", "1", "ping 10.0.2.10", "read"):
        diary.wait_for(2)
        assert diary.entries[-1] == ("end", "edge")
        enter(ani, "mark 1")
    diary.wait_for(4)
    assert [entry[0] for entry in diary.entries] == ["begin", "end", "begin", "end"]


def test_lines_at_another_prompt_and_requests_complete_a_batch(ani, diary):
    enter(ani, "mark 1")
    enter(ani, "mark 2", device="branch")
    ani.update_cfg("edge", ["mark 3"])
    assert [entry[:2] for entry in diary.entries] == [
        ("begin", "edge"),
        ("end", "edge"),
        ("begin", "branch"),
        ("end", "branch"),
        ("begin", "edge"),
        ("end", "edge"),
    ]


def test_a_line_of_a_shell_may_change_something_whatever_it_says(ani, diary):
    enter(ani, "ls", kind="read")
    ani.close()
    assert diary.entries == [("begin", "edge", "ls"), ("end", "edge")]


def test_lines_where_nothing_can_be_changed_are_none(ani, diary):
    enter(ani, "exit", kind="session")
    enter(ani, "show version", device="web", kind="read")
    ani.close()
    assert diary.entries == []


def test_a_batch_ends_at_the_latest_with_the_trial(ani, diary):
    enter(ani, "mark 1")
    ani.close()
    assert diary.entries[-1] == ("end", "edge")


def test_an_error_of_the_watcher_behind_a_prompt_is_an_error_of_the_lab(ani, diary):
    diary.fails = True
    enter(ani, "mark 1")
    ani.close()
    assert str(ani.lab_error) == "it broke"


def test_a_watcher_does_not_use_up_the_agents_time(ani, diary):
    ani.start()
    diary.takes_s = 0.5
    ani.update_cfg("edge", ["mark 1"])
    enter(ani, "mark 2")
    ani.close()
    assert ani.budget_used.wall_s < 0.5


def test_a_device_that_sees_its_changes_tells_of_each_and_update_cfg_itself_is_none(diary, monkeypatch):
    lab = chain(control={"web": "observed"})
    notices = Notices()
    lab.nodes["edge"].offered[NOTICES.name] = notices
    made = AgentInterface(
        lab, policy=Policy(), budget=Budget(calls=None, commands=None, wall_s=None), dialects=DIALECTS
    )
    made.watch(diary)
    try:
        made.update_cfg("edge", ["mark 1"])
        assert diary.entries == [], "the device saw no change"
        with notices.listener("PATCH one"):
            pass
        with notices.listener("PATCH other"):
            pass
        assert diary.entries == [("begin", "edge", "PATCH one")], "closely one after the other: one change"
        made.update_cfg("edge", ["mark 2"])
        assert diary.entries[-1] == ("end", "edge")
        monkeypatch.setattr(watching, "NOTICED_S", 0.05)
        with notices.listener("DELETE"):
            pass
        diary.wait_for(4)
        assert diary.entries[2:] == [("begin", "edge", "DELETE"), ("end", "edge")]
    finally:
        made.close()


class Watchful(Diary):
    """Looks after each part of a change, too."""

    def look_after(self, what: str) -> None:
        self.entries.append(("look", what))
        if self.fails:
            raise LabError("it broke")


@pytest.fixture
def watchful() -> Iterator[tuple[Watchful, Notices, AgentInterface]]:
    lab, notices, diary = chain(), Notices(), Watchful()
    lab.nodes["edge"].offered[NOTICES.name] = notices
    unlimited = Budget(calls=None, commands=None, wall_s=None)
    made = AgentInterface(lab, policy=Policy(), budget=unlimited, dialects=DIALECTS)
    made.watch(diary)
    yield diary, notices, made
    made.close()


def test_who_looks_at_parts_looks_after_each_request_of_one_change(watchful):
    diary, notices, made = watchful
    made.update_cfg("edge", ["mark 1"])
    for what in ("PATCH one", "PATCH other"):
        with notices.listener(what):
            assert ("look", what) not in diary.entries
        assert diary.entries[-1] == ("look", what), "before the answer is given"
    assert [one for one in diary.entries if one[0] == "begin"] == [("begin", "edge", "PATCH one")]


def test_an_error_of_a_look_is_an_error_of_the_lab_and_not_of_the_request(watchful):
    diary, notices, made = watchful
    made.update_cfg("edge", ["mark 1"])
    diary.fails = True
    with notices.listener("PATCH one"):
        pass
    assert str(made.lab_error) == "it broke"
    diary.fails = False


class Notices:
    """A device's own view of changes."""

    def notify(self, listener):
        self.listener = listener
