"""A dataset that `netbench export huggingface` wrote, read by Inspect as a benchmark of the Hub."""

from __future__ import annotations

import shutil
from pathlib import Path

from pytest_netbench.cli.main import main
from tests.integration.inspect_site import Site, scores_in
from tests.support.openai_server import Forever, OpenAIServer, Text
from tests.support.task_list import TASKS

REPOSITORY = "example/networks"
GRADED = Forever(Text("Step by step.\n\nGRADE: C"))


def written(folder: Path) -> Path:
    """The folder of a dataset that is called as its repository is."""
    place = folder / REPOSITORY
    place.parent.mkdir()
    files = [str(TASKS / "routing/static-routing.task.json")]
    draws = ["--generate=plan:n=2,seed=7", "--generate=repair-routing:n=1,seed=7,subnets=2,hosts=2"]
    assert main(["export", "huggingface", *files, *draws, "-o", str(place)]) == 0
    return place


def as_downloaded(dataset: Path, home: Path) -> None:
    """Put `eval.yaml` where the Hub's client keeps what it has downloaded."""
    repository = home / "hub" / f"datasets--{REPOSITORY.replace('/', '--')}"
    snapshot = repository / "snapshots" / ("0" * 40)
    snapshot.mkdir(parents=True)
    (repository / "refs").mkdir()
    (repository / "refs/main").write_text("0" * 40)
    shutil.copyfile(dataset / "eval.yaml", snapshot / "eval.yaml")


def test_inspect_reads_eval_yaml_and_asks_its_tasks(inspect_site: Site, tmp_path: Path) -> None:
    as_downloaded(written(inspect_site.folder), tmp_path / "home")
    offline = {"HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "home")}
    with OpenAIServer([GRADED]) as server:
        done = inspect_site.inspect(
            "eval", f"hf/{REPOSITORY}", "--model=openai-api/scripted/m", server=server, **offline
        )
        logs = inspect_site.read_all(inspect_site.log_files())
    assert {log["eval"]["task"].rpartition("/")[2]: len(log["samples"]) for log in logs} == {
        "configure": 1,
        "plan": 2,
    }, done.output
    for log in logs:
        assert log["status"] == "success"
        assert {scores_in(sample)["model_graded_qa"] for sample in log["samples"]} == {"C"}
        assert all(sample["metadata"]["digest"] for sample in log["samples"])
        assert all(len(sample["target"]) > 40 for sample in log["samples"])


def test_its_task_files_are_tasks_of_each_family(inspect_site: Site) -> None:
    place = written(inspect_site.folder)
    with OpenAIServer([Forever(Text("task done"))]) as server:
        log = inspect_site.evaluate(
            "pytest_netbench/repair",
            "-T",
            f"tasks={place / 'tasks'}",
            "-T",
            "heavy=false",
            "-T",
            "labs=1",
            server=server,
        )
    (sample,) = log["samples"]
    assert sample.get("error") is None
    assert scores_in(sample)["verdict"] == "I"
