from __future__ import annotations

from pathlib import Path

import pytest

from pytest_netbench.errors import ResultsError
from pytest_netbench.results.truth import load_truth, save_truth
from tests.support.records import task

BEFORE, AFTER = {"R1": "hostname R1\n"}, {"R1": "hostname R1\nrouter ospf\n"}
VERSIONS = {"frr": "8.4.4"}


@pytest.fixture
def task_path(tmp_path: Path) -> Path:
    return tmp_path / "qos" / "llq-voice.task.yaml"


def test_what_is_saved_comes_back_for_the_same_task(task_path: Path):
    assert save_truth(task_path, task(), BEFORE, AFTER, versions=VERSIONS) is True
    truth = load_truth(task_path, task())
    assert truth is not None
    assert (truth.digest, truth.initial_configs, truth.configs, truth.versions) == (
        task().digest,
        BEFORE,
        AFTER,
        VERSIONS,
    )
    assert [one.name for one in (task_path.parent / ".truth").iterdir()] == ["llq-voice.json"]


def test_nothing_recorded_is_none(task_path: Path):
    assert load_truth(task_path, task()) is None


def test_a_task_that_changed_has_no_truth_any_more(task_path: Path):
    save_truth(task_path, task(), BEFORE, AFTER, versions=VERSIONS)
    assert load_truth(task_path, task(seed=7)) is None
    assert load_truth(task_path, task(notes="notes change nothing")) is not None


def test_only_a_change_is_written(task_path: Path):
    save_truth(task_path, task(), BEFORE, AFTER, versions=VERSIONS)
    path = task_path.parent / ".truth" / "llq-voice.json"
    before = path.stat()
    assert save_truth(task_path, task(), BEFORE, AFTER, versions={"frr": "10.1"}) is False
    assert path.stat().st_mtime_ns == before.st_mtime_ns
    assert save_truth(task_path, task(), BEFORE, BEFORE, versions=VERSIONS) is True
    assert save_truth(task_path, task(seed=7), BEFORE, BEFORE, versions=VERSIONS) is True


def test_the_same_truth_is_the_same_bytes(task_path: Path, tmp_path: Path):
    other = tmp_path / "other" / "llq-voice.task.yaml"
    save_truth(task_path, task(), {"A": "1", "B": "2"}, AFTER, versions=VERSIONS)
    save_truth(other, task(), {"B": "2", "A": "1"}, AFTER, versions=VERSIONS)
    one, two = (path.parent / ".truth" / "llq-voice.json" for path in (task_path, other))
    assert one.read_bytes() == two.read_bytes()


def test_a_broken_file_says_how_to_mend_it_and_recording_does(task_path: Path):
    path = task_path.parent / ".truth" / "llq-voice.json"
    path.parent.mkdir(parents=True)
    path.write_text("{")
    with pytest.raises(ResultsError) as caught:
        load_truth(task_path, task())
    assert str(caught.value).startswith(f"{path}: not a recorded ground truth (1 validation error for Truth)")
    assert str(caught.value).endswith(f"record it again: pytest {task_path} --netbench-selftest")
    assert save_truth(task_path, task(), BEFORE, AFTER, versions=VERSIONS) is True
    assert load_truth(task_path, task()) is not None


def test_a_place_that_cannot_be_written_is_a_clear_error(task_path: Path):
    task_path.parent.mkdir()
    (task_path.parent / ".truth").write_text("in the way")
    with pytest.raises(ResultsError) as caught:
        save_truth(task_path, task(), BEFORE, AFTER, versions=VERSIONS)
    assert str(caught.value) == (
        f"{task_path.parent}/.truth/llq-voice.json: the ground truth cannot be recorded (File exists); make "
        f"{task_path.parent} writable, or copy the tasks to a directory that is"
    )


def test_a_read_only_corpus_is_a_clear_error():
    path = Path("/proc/self/llq-voice.task.yaml")  # not even root makes files there
    with pytest.raises(
        ResultsError, match=r"cannot be recorded \(No such file or directory\); make /proc/self writable"
    ):
        save_truth(path, task(), BEFORE, AFTER, versions=VERSIONS)
