"""``netbench generate``."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_netbench import parts
from pytest_netbench.cli.main import main
from pytest_netbench.generators.series import read_series
from pytest_netbench.taskfile import load_task
from pytest_netbench.taskfile.names import known_platforms


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch, memory_parts):
    monkeypatch.chdir(tmp_path)
    known_platforms.cache_clear()
    yield
    known_platforms.cache_clear()


def test_each_file_loads_as_the_task_that_the_option_draws(tmp_path, capsys):
    assert main(["generate", "branches:n=5,seed=7", "-o", "drawn"]) == 0
    out = capsys.readouterr()
    assert (out.out, out.err) == ("wrote 5 of 5 tasks to drawn\n", "")
    tasks = [source.load() for source in read_series("branches:n=5,seed=7").sources()]
    assert sorted(path.name for path in Path("drawn").iterdir()) == sorted(f"{task.slug}.task.yaml" for task in tasks)
    for task in tasks:
        loaded = load_task(Path("drawn", f"{task.slug}.task.yaml"))
        assert loaded == task
        assert loaded.digest == task.digest


def test_the_files_are_the_same_bytes_in_every_process():
    code = "import sys; from pytest_netbench.cli.main import main; sys.exit(main())"
    for salt in ("0", "1"):
        argv = [sys.executable, "-c", code, "generate", "branches:n=9,seed=3", "-o", f"drawn{salt}"]
        path = os.pathsep.join(sys.path)
        subprocess.run(
            argv, check=True, capture_output=True, env=os.environ | {"PYTHONHASHSEED": salt, "PYTHONPATH": path}
        )
    first, second = ({path.name: path.read_bytes() for path in Path(f"drawn{salt}").iterdir()} for salt in ("0", "1"))
    assert first == second
    assert len(first) == 9


def test_more_draws_of_a_seed_do_not_change_the_first_ones():
    main(["generate", "branches:n=3,seed=3", "-o", "few"])
    main(["generate", "branches:n=8,seed=3", "-o", "many"])
    for path in Path("few").iterdir():
        assert path.read_bytes() == Path("many", path.name).read_bytes()


def test_prove_writes_only_what_is_proven_and_says_why_others_are_dropped(capsys):
    assert main(["generate", "branches:n=4,flaw=3,bug=2", "-o", "drawn", "--prove", "--backend", "memory"]) == 0
    out, err = capsys.readouterr()
    assert [path.name[:17] for path in Path("drawn").iterdir()] == ["branches-s0-0001-"]
    lines = out.splitlines()
    assert lines[0] == "wrote 1 of 4 tasks to drawn"
    assert set(lines[1:]) == {"dropped 2: not proven: the oracle fails testcase 'never'", "dropped 1: the draw failed"}
    assert "3/4 branches[s0-0002]: 0.0 s: dropped: branches[s0-0002]: the generator 'branches' failed: ZeroDiv" in err
    verdicts = [line.split(" s: ")[1].partition(":")[0] for line in err.splitlines()]
    assert verdicts == ["dropped", "proven", "dropped", "dropped"]


@pytest.mark.parametrize("jobs", ["0", "-1", "many"])
def test_a_wrong_number_of_jobs_is_wrong_usage(jobs, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["generate", "branches", "-o", "drawn", "--prove", f"--jobs={jobs}"])
    assert ended.value.code == 2
    assert f"{jobs!r} is not a whole number above 0" in capsys.readouterr().err


def test_the_status_is_1_if_nothing_was_written(capsys):
    assert main(["generate", "branches:n=2,flaw=1", "-o", "drawn", "--prove", "--backend", "memory"]) == 1
    assert capsys.readouterr().out.startswith("wrote 0 of 2 tasks to drawn\ndropped ")


def test_list_names_generators_and_their_parameters(capsys):
    assert main(["generate", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    start = lines.index("branches  Access of a branch to a web server.")
    assert lines[start + 1 : start + 6] == [
        "  n=10           how many tasks are drawn",
        "  seed=0         the seed of the series of draws",
        "  level=1-2      how many things are to be done: a number or a range such as 2-4",
        "  labels=WEB+DC  what is to be done: any of WEB, DC, joined by +",
        "  host=10        address of the branch: a whole number",
    ]


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["generate"], "give what to draw and a folder"),
        (["generate", "branches"], "give what to draw and a folder"),
        (["generate", "branches:m=3", "-o", "drawn"], "unknown parameter 'm'"),
        (["generate", "nothing", "-o", "drawn"], "unknown generator 'nothing'"),
    ],
)
def test_wrong_usage_is_one_line_and_status_2(argv, said, capsys):
    assert main(argv) == 2
    assert said in capsys.readouterr().err
    assert not Path("drawn").exists()


@pytest.mark.parametrize("name", parts.names("generators"))
def test_tasks_of_every_generator_are_the_same_bytes_in_every_process_and_load_with_the_same_digest(name):
    code = "import sys; from pytest_netbench.cli.main import main; sys.exit(main())"
    for salt in ("0", "1"):
        argv = [sys.executable, "-c", code, "generate", f"{name}:n=8,seed=3", "-o", f"drawn{salt}"]
        subprocess.run(argv, check=True, capture_output=True, env=os.environ | {"PYTHONHASHSEED": salt})
    first, second = ({path.name: path.read_bytes() for path in Path(f"drawn{salt}").iterdir()} for salt in ("0", "1"))
    assert first == second
    for source in read_series(f"{name}:n=8,seed=3").sources():
        task = source.load()
        assert load_task(Path("drawn0", f"{task.slug}.task.yaml")).digest == task.digest
