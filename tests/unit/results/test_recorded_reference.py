from __future__ import annotations

from pathlib import Path

import pytest

from pytest_netbench.errors import ResultsError
from pytest_netbench.model.task import Task
from pytest_netbench.results.recorded import RecordedFiles
from pytest_netbench.results.reference import ReferenceStore, lack_of
from tests.support.behaviours import ALLOWED, DENIED, behaviour, flow
from tests.support.records import task

PATH = Path("tasks/x.task.yaml")


def recorded(**changes):
    made = behaviour({flow(): (ALLOWED, DENIED)}, routes=({"R1": {"10.0.0.0/8": ("static", "10.1.1.1")}},) * 2)
    return made.model_copy(update={"digest": task().reference_digest, **changes})


@pytest.fixture
def store(tmp_path: Path) -> ReferenceStore:
    return ReferenceStore.around(tmp_path / "tasks" / "qos", root=tmp_path)


def test_what_is_recorded_comes_back_and_is_found_by_its_digest(store: ReferenceStore):
    path = store.save(task(), recorded())
    assert path.name == f"{task().slug}-{task().reference_digest}.json"
    loaded = store.load(task())
    assert loaded is not None
    assert list(loaded.held()) == list(recorded().held())
    assert list(loaded.tables_at()) == list(recorded().tables_at())
    assert loaded.versions["netbench"]


def test_a_backend_has_a_record_of_its_own_and_else_that_of_the_default_one(tmp_path: Path, store: ReferenceStore):
    folder = tmp_path / "tasks" / "qos"
    other, third = (ReferenceStore.around(folder, root=tmp_path, backend=name) for name in ("other", "third"))
    common = store.save(task(), recorded())
    assert other.path(task()) == common
    assert other.own_path(task()) is None
    own = other.save(task(), recorded(addresses={"R1": ("10.9.9.9",)}))
    assert own.name == f"{task().slug}-{task().reference_digest}@other.json"
    assert [one.load(task()).addresses == {"R1": ("10.9.9.9",)} for one in (other, store, third)] == [
        True,
        False,
        False,
    ]
    assert (store.own_path(task()), other.own_path(task())) == (common, own)
    assert other.save(task(), recorded(addresses={"R1": ("10.9.9.8",)})) == own
    common.unlink()
    assert store.path(task()) is None


def test_each_flow_is_one_line(store: ReferenceStore):
    path = store.save(task(), recorded())
    assert sum('"10.1.30.10"' in line for line in path.read_text().splitlines() if '"web1"' in line) >= 1
    assert '  [["web1",null,"10.1.30.10","db"' in path.read_text()


@pytest.mark.parametrize(
    ("changes", "same"),
    [
        ({"startup_configs": {"R1": "hostname x"}}, False),
        ({"ground_truth_configs": {"R1": ("hostname x",)}}, False),
        ({"events": {"r2-fails": [{"fail": "R2"}]}}, False),
        ({"reference": {"seed": 2}}, False),
        ({"reference": {"flows": 10}}, False),
        ({"task_name": "another", "time_scale": 3}, True),
        ({"reference": {"changes": [{"intent": 1}]}}, True),
        ({"topology": {"nodes": [{"name": "R1", "role": "the router"}, {"name": "R2"}]}}, True),
    ],
    ids=["startup", "truth", "events", "seed", "count", "texts", "what belongs to an intent", "roles"],
)
def test_only_what_determines_the_behaviour_makes_a_record_outdated(store: ReferenceStore, changes, same):
    store.save(task(), recorded())
    changed = task(**changes)
    assert (store.load(changed) is not None) is same
    assert (store.outdated(changed) is None) is same


def test_a_file_that_is_no_record_says_how_to_repair_it(store: ReferenceStore):
    path = store.save(task(), recorded())
    path.write_text("{}")
    with pytest.raises(ResultsError, match=r"not a recorded reference behaviour .* netbench record TASK_FILE"):
        store.load(task())


def test_a_record_that_was_renamed_is_refused(store: ReferenceStore):
    store.save(task(), recorded(digest="f" * 16))
    with pytest.raises(ResultsError, match="holds the behaviour of digest ffff"):
        store.load(task())


def test_recording_the_same_again_changes_no_file(store: ReferenceStore):
    path = store.save(task(), recorded())
    stamp = path.stat().st_mtime_ns
    assert store.save(task(), recorded()) == path
    assert path.stat().st_mtime_ns == stamp


HELD = {"testcases": [{"name": "the rest", "kind": "reference", "role": "regression"}]}


def test_a_task_that_compares_with_no_record_says_how_to_record_it(tmp_path: Path):
    store = ReferenceStore(RecordedFiles([tmp_path / ".reference"]))
    assert lack_of(task(), store, PATH) is None
    assert lack_of(task(**HELD), store, PATH) == (
        "no reference behaviour is recorded for this task; record it: netbench record tasks/x.task.yaml"
    )
    store.save(task(**HELD), recorded())
    assert lack_of(task(**HELD), store, PATH) is None
    lack = lack_of(task(**HELD, reference={"seed": 2}), store, PATH)
    assert lack is not None
    assert f"{task().slug}-{task().reference_digest}.json is outdated" in lack


def test_a_task_with_a_selector_of_routes_survives_its_json_form():
    changed = task(reference={"changes": [{"intent": 1, "routes": "R1 10.0.0.0/8"}]})
    assert Task.model_validate(changed.model_dump(mode="json", by_alias=True)) == changed
