from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from pytest_netbench.errors import ResultsError, UsageError
from pytest_netbench.results.truth import TruthStore
from pytest_netbench.taskfile import load_task
from pytest_netbench.taskfile.corpus import corpus
from tests.support.records import task

BEFORE, AFTER = {"R1": "hostname R1\n"}, {"R1": "hostname R1\nrouter ospf\n"}
VERSIONS = {"frr": "8.4.4"}
NAME = f"llq-voice-{task().truth_digest}.json"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "tasks" / "qos"


@pytest.fixture
def store(folder: Path, tmp_path: Path) -> TruthStore:
    return TruthStore.around(folder, root=tmp_path)


def test_what_is_saved_comes_back_for_the_same_task(store: TruthStore, folder: Path):
    assert store.save(task(), BEFORE, AFTER, versions=VERSIONS) is True
    truth = store.load(task())
    assert truth is not None
    assert (truth.digest, truth.initial_configs, truth.configs, truth.versions) == (
        task().truth_digest,
        BEFORE,
        AFTER,
        VERSIONS,
    )
    assert truth.proved == task().proof_digest
    assert [one.name for one in (folder / ".truth").iterdir()] == [NAME]


def test_nothing_recorded_is_none(store: TruthStore):
    assert store.load(task()) is None


@pytest.mark.parametrize(
    "changes",
    [
        {"topology": {"nodes": [{"name": "R1"}, {"name": "R2"}, {"name": "R3"}]}},
        {"topology": {"nodes": [{"name": "R1", "platform": "linux"}, {"name": "R2"}]}},
        {"platform": "linux"},
        {"startup_configs": {"R1": "hostname x"}},
        {"ground_truth_configs": {"R1": ("hostname x",)}},
    ],
    ids=["a node", "a node's platform", "the platform", "a startup config", "the ground truth"],
)
def test_a_task_whose_configs_come_out_otherwise_has_no_truth_any_more(store: TruthStore, changes: dict):
    store.save(task(), BEFORE, AFTER, versions=VERSIONS)
    assert store.load(task(**changes)) is None


@pytest.mark.parametrize(
    "changes",
    [
        {"task_name": "Voice before all else", "intents": [{"text": "voice is first"}]},
        {"slug": "renamed", "domain": "other", "tags": ["x"], "notes": "y", "seed": 7},
        {
            "testcases": [
                {"kind": "show", "name": "s", "device": "R1", "commands": ["show run"], "expected_output": "x"}
            ]
        },
        {"platform": "linux", "topology": {"nodes": [{"name": one, "platform": "small"} for one in ("R1", "R2")]}},
        {"time_scale": 5.0, "budget": {"calls": 5}},
    ],
    ids=["words", "names", "testcases", "the same platforms said otherwise", "pace and budget"],
)
def test_a_task_that_is_only_said_or_judged_otherwise_keeps_its_truth(store: TruthStore, changes: dict):
    store.save(task(), BEFORE, AFTER, versions=VERSIONS)
    assert store.load(task(**changes)) is not None


def test_a_change_of_what_is_judged_shows_as_not_proved(store: TruthStore):
    store.save(task(), BEFORE, AFTER, versions=VERSIONS)
    show = {"kind": "show", "name": "s", "device": "R1", "commands": ["show run"], "expected_output": "x"}
    judged = task(testcases=[show])
    truth = store.load(judged)
    assert truth is not None
    assert truth.proved != judged.proof_digest
    assert truth.proved == task(task_name="other words").proof_digest


def test_only_a_change_is_written(store: TruthStore, folder: Path):
    store.save(task(), BEFORE, AFTER, versions=VERSIONS)
    path = folder / ".truth" / NAME
    before = path.stat()
    assert store.save(task(), BEFORE, AFTER, versions={"frr": "10.1"}) is False
    assert path.stat().st_mtime_ns == before.st_mtime_ns
    assert store.save(task(), BEFORE, BEFORE, versions=VERSIONS) is True


def test_the_same_truth_is_the_same_bytes(store: TruthStore, folder: Path, tmp_path: Path):
    other = TruthStore.around(tmp_path / "other", root=tmp_path)
    store.save(task(), {"A": "1", "B": "2"}, AFTER, versions=VERSIONS)
    other.save(task(), {"B": "2", "A": "1"}, AFTER, versions=VERSIONS)
    one, two = (path / ".truth" / NAME for path in (folder, tmp_path / "other"))
    assert one.read_bytes() == two.read_bytes()


def test_a_folder_of_truths_above_the_task_serves_all_below_it(tmp_path: Path, folder: Path):
    (tmp_path / "tasks" / ".truth").mkdir(parents=True)
    TruthStore.around(folder, root=tmp_path).save(task(), BEFORE, AFTER, versions=VERSIONS)
    assert (tmp_path / "tasks" / ".truth" / NAME).is_file()
    moved = TruthStore.around(tmp_path / "tasks" / "other", root=tmp_path)
    assert moved.load(task(slug="moved")) is not None
    assert TruthStore.around(tmp_path, root=tmp_path).load(task()) is not None  # e.g. of a generated task


def test_a_truth_that_is_recorded_again_stays_in_its_file(tmp_path: Path, folder: Path):
    shared = tmp_path / "tasks" / ".truth"
    shared.mkdir(parents=True)
    store = TruthStore.around(folder, root=tmp_path)
    store.save(task(), BEFORE, AFTER, versions=VERSIONS)
    store.save(task(slug="renamed"), BEFORE, BEFORE, versions=VERSIONS)
    assert [one.name for one in shared.iterdir()] == [NAME]


def test_a_copy_of_a_shipped_task_finds_its_truth_wherever_it_lies(tmp_path: Path):
    copied = tmp_path / "mine.task.yaml"
    shutil.copy(corpus() / "tasks" / "qos" / "llq-voice.task.yaml", copied)
    assert TruthStore.around(tmp_path, root=tmp_path).load(load_task(copied)) is not None


def test_a_broken_file_says_how_to_mend_it_and_recording_does(store: TruthStore, folder: Path):
    path = folder / ".truth" / NAME
    path.parent.mkdir(parents=True)
    path.write_text("{")
    with pytest.raises(ResultsError) as caught:
        store.load(task())
    assert str(caught.value).startswith(f"{path}: not a recorded ground truth (1 validation error for Truth)")
    assert str(caught.value).endswith("record it again: pytest TASK_FILE --netbench-selftest")
    assert store.save(task(), BEFORE, AFTER, versions=VERSIONS) is True
    assert store.load(task()) is not None


def test_a_file_under_a_wrong_name_is_not_taken_for_another_tasks_truth(store: TruthStore, folder: Path):
    store.save(task(), BEFORE, AFTER, versions=VERSIONS)
    other = task(platform="linux")
    (folder / ".truth" / NAME).rename(folder / ".truth" / f"llq-voice-{other.truth_digest}.json")
    with pytest.raises(ResultsError, match="holds the ground truth of digest"):
        store.load(other)


def test_a_place_that_cannot_be_written_is_a_clear_error(store: TruthStore, folder: Path):
    folder.mkdir(parents=True)
    (folder / ".truth").write_text("in the way")
    with pytest.raises(ResultsError) as caught:
        store.save(task(), BEFORE, AFTER, versions=VERSIONS)
    assert str(caught.value) == (
        f"{folder}/.truth/{NAME}: the ground truth cannot be recorded (File exists); make "
        f"{folder} writable, or copy the tasks to a directory that is"
    )


def test_a_read_only_corpus_is_a_clear_error():
    store = TruthStore.around(Path("/proc/self"))  # not even root makes files there
    with pytest.raises(
        ResultsError, match=r"cannot be recorded \(No such file or directory\); make /proc/self writable"
    ):
        store.save(task(), BEFORE, AFTER, versions=VERSIONS)


RIGHT = {"by rip": {"R1": "hostname R1\nrouter rip\n"}, "the same": AFTER}


def test_right_solutions_are_kept_with_the_nodes_that_differ_from_the_ground_truth(store: TruthStore):
    store.save(task(), BEFORE, AFTER, right=RIGHT, right_reasoning={"by rip": "RIP"}, versions=VERSIONS)
    truth = store.load(task())
    assert truth is not None
    assert truth.right == {"by rip": RIGHT["by rip"], "the same": {}}
    assert truth.right_reasoning == {"by rip": "RIP"}


def test_recording_only_the_ground_truth_keeps_the_right_solutions(store: TruthStore):
    store.save(task(), BEFORE, AFTER, right=RIGHT, right_reasoning={"by rip": "RIP"}, versions=VERSIONS)
    assert store.save(task(), BEFORE, AFTER, versions=VERSIONS) is False
    assert store.save(task(), BEFORE, {"R1": "hostname R2\n"}, versions=VERSIONS) is True
    truth = store.load(task())
    assert truth is not None
    assert (set(truth.right), truth.right_reasoning) == (set(RIGHT), {"by rip": "RIP"})


def test_right_solutions_can_be_recorded_afterwards_and_replace_those_before(store: TruthStore):
    store.save(task(), BEFORE, AFTER, right=RIGHT, right_reasoning={"by rip": "RIP"}, versions=VERSIONS)
    assert store.save_right(task(), {"by bgp": {"R1": "router bgp\n"}}) is True
    truth = store.load(task())
    assert truth is not None
    assert (truth.initial_configs, truth.configs) == (BEFORE, AFTER)
    assert (truth.right, truth.right_reasoning) == ({"by bgp": {"R1": "router bgp\n"}}, {})
    assert store.save_right(task(), {"by bgp": {"R1": "router bgp\n"}}) is False


def test_right_solutions_need_a_recorded_ground_truth(store: TruthStore):
    with pytest.raises(UsageError, match="no recorded ground truth to compare right solutions with; record it first: "):
        store.save_right(task(), RIGHT)
