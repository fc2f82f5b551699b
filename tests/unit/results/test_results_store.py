from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_netbench import __version__
from pytest_netbench.errors import ResultsError, UsageError
from pytest_netbench.model.trial import FORMAT
from pytest_netbench.results.files import replace_file, safe_name
from pytest_netbench.results.store import ResultsDir, transcript_path
from tests.support.records import NODE_ID, record, result

ROOT = Path(__file__).parents[3]


@pytest.fixture
def store(tmp_path: Path) -> ResultsDir:
    return ResultsDir.create(tmp_path / "run")


def names(path: Path) -> list[str]:
    return sorted(one.name for one in path.iterdir())


def test_a_result_is_one_line_in_its_workers_file(store: ResultsDir):
    store.append(result({"testcase": 1.0}), None, worker="gw0")
    store.append(result({"testcase": 0.5}, node_id="other"), None, worker="gw0")
    lines = (store.path / "results-gw0.jsonl").read_text().splitlines()
    assert [json.loads(line)["node_id"] for line in lines] == [NODE_ID, "other"]


def test_a_record_is_kept_whole_and_comes_back_equal(store: ResultsDir):
    whole = record(
        final_configs={"R1": "hostname R1\n"}, trace=({"at_s": 0.1, "kind": "note", "data": {"text": "é\x00"}},)
    )
    kept = store.append(result(), whole, worker="main")
    assert kept.transcript == transcript_path(NODE_ID, 1)
    assert store.record_of(kept) == whole
    assert store.results() == (kept,)


def test_a_record_of_a_newer_format_is_refused_and_one_without_a_number_is_read(store: ResultsDir):
    kept = store.append(result(), record(), worker="main")
    path = store.path / kept.transcript
    data = json.loads(path.read_text())
    assert data.pop("format") == FORMAT
    path.write_text(json.dumps(data))
    assert store.record_of(kept) == record()
    path.write_text(json.dumps({**data, "format": FORMAT + 1, "what_is_new": 1}))
    with pytest.raises(ResultsError) as caught:
        store.record_of(kept)
    assert str(caught.value).endswith(
        f": not a transcript that netbench {__version__} can read: its format is {FORMAT + 1}, and this version reads"
        f" up to {FORMAT} (fix: pip install -U pytest-netbench)"
    )


def test_final_configs_are_files_for_people(store: ResultsDir):
    store.append(result(), record(final_configs={"R1": "hostname R1\n", "../etc": "x"}), worker="main")
    (folder,) = (store.path / "configs").iterdir()
    assert (folder / "R1.cfg").read_text() == "hostname R1\n"
    assert len(names(folder)) == 2
    assert names(store.path) == ["configs", "results-main.jsonl", "transcripts"]


def test_file_names_read_well_and_never_meet():
    assert safe_name(NODE_ID, 1).startswith("llq-voice-react-gpt-4o-")
    others = {
        safe_name(NODE_ID, 2),
        safe_name(NODE_ID.replace("[", "("), 1),
        safe_name("../..", 1),
        safe_name("ö" * 400, 1),
    }
    assert len(others | {safe_name(NODE_ID, 1)}) == 5
    assert all(len(one) < 100 and "/" not in one and not one.startswith(".") for one in others)


def test_merging_sorts_by_node_id_and_trial_and_may_be_repeated(store: ResultsDir):
    store.append(result(node_id="b"), None, worker="gw1")
    store.append(result(node_id="a", trial=2), None, worker="gw1")
    store.append(result(node_id="a", trial=1), None, worker="gw0")
    store.merge()
    first = (store.path / "results.jsonl").read_text()
    assert [(one["node_id"], one["trial"]) for one in map(json.loads, first.splitlines())] == [
        ("a", 1),
        ("a", 2),
        ("b", 1),
    ]
    store.merge()
    assert (store.path / "results.jsonl").read_text() == first


def test_merging_does_not_forget_a_workers_file_that_was_tidied_away(store: ResultsDir):
    store.append(result(), None, worker="gw0")
    store.merge()
    (store.path / "results-gw0.jsonl").unlink()
    store.merge()
    assert len(store.results()) == 1


@pytest.mark.parametrize("first", ["controller", "gw0"])
def test_scores_made_on_the_controller_join_those_of_the_worker(store: ResultsDir, first: str):
    def on_worker() -> None:
        store.append(result({"testcase": 1.0, "command": 0.5}), record(), worker="gw0")

    def on_controller() -> None:
        store.append(result({"testcase": 1.0, "command": 0.5, "reasoning": 0.7}), None, worker="controller")

    steps = [on_controller, on_worker] if first == "controller" else [on_worker, on_controller]
    for step in steps:
        step()
    store.merge()
    (joined,) = store.results()
    assert {one.metric: one.value for one in joined.scores} == {"testcase": 1.0, "command": 0.5, "reasoning": 0.7}
    assert joined.transcript is not None


def test_of_an_item_that_ran_again_the_last_attempt_counts_and_both_are_kept(store: ResultsDir):
    later = "2026-10-03T12:05:00.000+00:00"
    store.append(result(status="failed"), record(), worker="gw0")
    store.append(result(status="passed", started_at=later), record(started_at=later), worker="gw0")
    (only,) = store.results()
    assert only.status == "passed"
    kept = store.record_of(only)
    assert kept is not None
    assert kept.started_at == later
    assert len(names(store.path / "transcripts")) == 2


def test_a_torn_line_is_reported_and_spoils_nothing(store: ResultsDir):
    store.append(result(node_id="a"), None, worker="gw0")
    with (store.path / "results-gw0.jsonl").open("a") as file:
        file.write('{"node_id": "b", "task_na')
    contents = store.read()
    assert [one.node_id for one in contents.results] == ["a"]
    assert contents.torn == ("results-gw0.jsonl:2",)
    store.append(result(node_id="c"), None, worker="gw0")
    store.merge()
    assert [one.node_id for one in store.results()] == ["a", "c"]


def test_a_line_that_is_something_else_is_an_error_with_its_place(store: ResultsDir):
    (store.path / "results-gw0.jsonl").write_text('{"hello": 1}\n')
    with pytest.raises(
        ResultsError, match=r"results-gw0\.jsonl:1: not a result that netbench .* can read: node_id: Field req"
    ):
        store.results()


def test_kill_dash_nine_leaves_whole_lines(tmp_path: Path):
    code = (
        "import sys; from pathlib import Path\nfrom pytest_netbench.results.store import ResultsDir\nfrom"
        " tests.support.records import record, result\nstore = ResultsDir.create(Path(sys.argv[1])); n = 0\nwhile"
        " True:\n    n += 1\n    store.append(result(node_id=str(n)), record(node_id=str(n), final_configs={'R1': 'x' *"
        " 50000}), worker='gw0')\n    print(n, flush=True)\n"
    )
    victim = subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE, cwd=ROOT, text=True)
    assert victim.stdout is not None
    for _ in range(5):
        victim.stdout.readline()
    victim.send_signal(signal.SIGKILL)
    written = 5 + len(victim.stdout.read().splitlines())
    victim.wait()
    contents = ResultsDir(tmp_path).read()
    assert contents.torn == ()
    assert len(contents.results) >= written
    for one in contents.results:
        assert ResultsDir(tmp_path).record_of(one) is not None


def test_a_full_disk_is_an_error_that_names_the_file(store: ResultsDir):
    (store.path / "results-gw0.jsonl").symlink_to("/dev/full")
    with pytest.raises(ResultsError) as caught:
        store.append(result(), None, worker="gw0")
    assert (
        str(caught.value)
        == f"{store.path}/results-gw0.jsonl: results cannot be written: No space left on device. What was written"
        " before is whole; free some space or give another directory with --netbench-results DIR"
    )


def test_a_record_that_cannot_be_kept_leaves_the_result_and_an_error(store: ResultsDir):
    (store.path / "transcripts").write_text("in the way")
    with pytest.raises(ResultsError, match=r"transcripts/llq-voice.*\.json: results cannot be written"):
        store.append(result(transcript="transcripts/expected.json"), record(), worker="gw0")
    (kept,) = store.results()
    assert kept.transcript is None


def test_a_file_that_cannot_be_replaced_stays_as_it_was(tmp_path: Path):
    code = (
        "import resource, signal, sys; from pathlib import Path\n"
        "from pytest_netbench.errors import ResultsError\n"
        "from pytest_netbench.results.files import replace_file\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "try:\n    replace_file(Path(sys.argv[1]), 'x' * 5000)\n"
        "except ResultsError as error:\n    print(error)\n"
    )
    path = tmp_path / "results.jsonl"
    replace_file(path, "old")
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.startswith(f"{path}: results cannot be written: File too large.")
    assert path.read_text() == "old"
    assert names(tmp_path) == ["results.jsonl"]


def test_a_directory_that_is_not_writable_is_a_usage_error():
    path = Path("/proc/self")  # not even root makes files there
    with pytest.raises(UsageError) as caught:
        ResultsDir.create(path)
    assert (
        str(caught.value)
        == "/proc/self: the results directory is not writable (No such file or directory); give one that is:"
        " --netbench-results DIR"
    )


def test_a_file_is_no_results_directory(tmp_path: Path):
    path = tmp_path / "file"
    path.touch()
    with pytest.raises(UsageError) as caught:
        ResultsDir.create(path)
    assert (
        str(caught.value)
        == f"{path}: the results directory is not a directory; give one that is: --netbench-results DIR"
    )


def test_the_run_is_described_once(store: ResultsDir):
    store.describe(argv=["pytest", "tasks/"], versions={"pytest": "9.2"})
    store.describe(argv=["pytest", "again"], versions={})
    about = json.loads((store.path / "run.json").read_text())
    assert about["argv"] == ["pytest", "tasks/"]
    assert set(about["versions"]) == {"netbench", "pytest"}
    assert about["started_at"].endswith("+00:00")


def test_a_transcript_that_is_gone_or_broken_is_an_error(store: ResultsDir):
    kept = store.append(result(), record(), worker="gw0")
    assert kept.transcript is not None
    path = store.path / kept.transcript
    path.write_text("{}")
    with pytest.raises(ResultsError, match=r"not a transcript that netbench .* can read: task: Field required"):
        store.record_of(kept)
    path.unlink()
    with pytest.raises(ResultsError, match="the transcript cannot be read: No such file or directory"):
        store.record_of(kept)


def test_what_json_cannot_say_costs_no_result(store: ResultsDir):
    note = {"at_s": 0.0, "kind": "note", "data": {"rate": float("nan"), "bytes": "half a \udc80 character"}}
    kept = store.append(result(error="\udcff"), record(trace=(note,)), worker="gw0")
    whole = store.record_of(kept)
    assert whole is not None
    assert whole.trace[0].data == {"rate": None, "bytes": r"half a \udc80 character"}
    assert store.results()[0].error == r"\udcff"
