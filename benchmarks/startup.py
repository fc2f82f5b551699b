"""Overhead of a run compared with its trial: ``python benchmarks/startup.py [RUNS]``.

Three figures, each the best of the runs: the time that a run of one task adds to its trial; the same with a reasoning
score, compared with the longer of the trial and loading the embedding model; and how soon a missing key is reported,
compared with pytest's own start. Then, for each run with a reasoning score, when its parts ended, in seconds since the
run started; beside them how long the trial took, and how long a process that does nothing else took to load the model.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.measure import table, verdict

_REPOSITORY = Path(__file__).parents[1]
_TASK = _REPOSITORY / "tasks" / "routing" / "default-route-for-a-shop.task.yaml"
_AGENT = """
from pytest_netbench.model.trial import AgentInfo, Submission


class Says:
    info = AgentInfo(id="says", strategy="own")

    def run(self, brief, ani):
        ani.get_topology()
        return Submission(reasoning="The router needs a default route. The other one needs none.")
"""
_LOAD = (
    "import time; began = time.perf_counter()\n"
    "from pytest_netbench.scorers.reasoning import ReasoningScorer\n"
    "ReasoningScorer().prepare(); print(time.perf_counter() - began)"
)
_PARTS = ("tasks collected", "trial over", "model ready", "scores made", "results merged", "process over")
_NOTES = """
import json, time
from pytest_netbench.plugin.trials.embedder import ProcessEmbedder

wait = ProcessEmbedder.wait

def note(part):
    with open("parts.jsonl", "a") as file:
        print(json.dumps([part, time.time()]), file=file)

def noted(self):
    wait(self)
    note("model ready")

ProcessEmbedder.wait = noted

def pytest_collection_finish(session): note("tasks collected")
def pytest_netbench_trial_finished(record, result): note("trial over")
def pytest_netbench_result(result): note("scores made")
def pytest_unconfigure(config): note("results merged")
"""
_LIMIT_RUN_S, _LIMIT_KEY_S = 1.5, 1.0


def run(folder: Path, *options: str, status: int) -> tuple[float, float]:
    """Wall seconds of one pytest run in ``folder``, and of the trial in it (0 if there was none)."""
    results = folder / "out"
    shutil.rmtree(results, ignore_errors=True)
    argv = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options]
    kept = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    started = time.perf_counter()
    done = subprocess.run(argv, cwd=folder, check=False, capture_output=True, text=True, env=kept)
    seconds = time.perf_counter() - started
    if done.returncode != status:
        raise SystemExit(f"{' '.join(argv)} ended with {done.returncode}:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    lines = (results / "results.jsonl").read_text().splitlines() if results.exists() else []
    return seconds, sum(json.loads(line)["duration_s"] for line in lines)


def parts_of(folder: Path, started: float) -> dict[str, float]:
    """Return when the parts of the run that started at ``started`` ended, in seconds since then."""
    lines = (folder / "parts.jsonl").read_text().splitlines()
    return {part: at - started for part, at in map(json.loads, lines)} | {"process over": time.time() - started}


def main() -> None:
    """Run everything in turn, so that other load affects all equally."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    bare, oracle, says, key, model, parts = [], [], [], [], [], []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "pytest.ini").write_text("[pytest]\n")
        (folder / "mine.py").write_text(_AGENT)
        (folder / "empty").mkdir()
        (folder / "tasks").mkdir()
        shutil.copy(_TASK, folder / "tasks")
        for _ in range(runs + 1):  # the first one fills caches
            bare.append(run(folder, "empty", status=5)[0])
            key.append(run(folder, "tasks", "--agent=openai/gpt-4o", status=4)[0])
            oracle.append(run(folder, "tasks", "--agent=oracle", "--netbench-results=out", status=0))
            (folder / "conftest.py").write_text(_NOTES)
            (folder / "parts.jsonl").unlink(missing_ok=True)
            started = time.time()
            says.append(run(folder, "tasks", "--agent=mine:Says", "--netbench-results=out", status=1))
            parts.append(parts_of(folder, started))
            (folder / "conftest.py").unlink()
            model.append(float(subprocess.check_output([sys.executable, "-c", _LOAD], cwd=_REPOSITORY, text=True)))
    added = min(whole - trial for whole, trial in oracle[1:])
    later = min(whole - max(trial, alone) for (whole, trial), alone in zip(says[1:], model[1:], strict=True))
    missing = min(key[1:]) - min(bare[1:])
    table(
        f"Start-up, best of {runs}",
        [
            ("pytest with nothing to do", f"{min(bare[1:]):.2f} s", "", ""),
            ("one task by the oracle, beside its trial", f"{added:.2f} s", verdict(added, _LIMIT_RUN_S, "s"), ""),
            ("embedding model alone", f"{min(model[1:]):.2f} s", "", ""),
            (
                "one task with a reasoning score, beside the later of trial and model",
                f"{later:.2f} s",
                verdict(later, _LIMIT_RUN_S, "s"),
                "",
            ),
            ("missing key, beside pytest alone", f"{missing:.2f} s", verdict(missing, _LIMIT_KEY_S, "s"), ""),
        ],
    )
    print("Runs with a reasoning score (model ready: when the trial was over, if that was later)")
    for (_, trial), alone, one in zip(says[1:], model[1:], parts[1:], strict=True):
        ends = ", ".join(f"{part} {one[part]:.2f}" for part in _PARTS)
        print(f"  trial takes {trial:.2f}, model alone {alone:.2f}: {ends}")


if __name__ == "__main__":
    main()
