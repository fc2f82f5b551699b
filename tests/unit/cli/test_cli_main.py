from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_netbench import __version__
from pytest_netbench.cli.main import main

TASK = (
    "task_name: T\nintents: [x]\ntopology: {nodes: [R1]}\n"
    "testcases: [{name: t, kind: route, device: R1, prefix: 10.0.0.0/8}]\n"
)
SHOWN = {"device": "R1", "commands": ["show version"], "expected_output": "IOS"}


def netbench(*argv: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    code = "import sys; from pytest_netbench.cli.main import main; sys.exit(main())"
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, argv)], capture_output=True, text=True, cwd=cwd, check=False
    )


def test_the_command_imports_only_the_standard_library_until_a_subcommand_runs():
    code = (
        "import sys; import pytest_netbench.cli.main as m; m.parser(); print(sorted({'pydantic', 'yaml', 'litellm',"
        " 'torch', 'mcp', 'a2a', 'scrapli', 'pytest'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_help_names_every_subcommand_and_the_exit_statuses(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["--help"])
    out = capsys.readouterr().out
    assert caught.value.code == 0
    assert "exit status: 0 done, 1 a check failed" in out
    for command in ("doctor", "schema", "init", "rescore", "validate", "version"):
        assert f"\n    {command} " in out


@pytest.mark.parametrize("argv", [[], ["nonsense"], ["version", "extra"], ["schema", "--out", "x"]])
def test_wrong_usage_ends_with_status_2(argv, capsys):
    with pytest.raises(SystemExit) as caught:
        main(argv)
    assert caught.value.code == 2
    assert "usage: netbench" in capsys.readouterr().err


def test_version_prints_what_a_bug_report_needs(capsys):
    assert main(["version"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == f"pytest-netbench {__version__}"


def test_schema_prints_a_json_schema(capsys):
    assert main(["schema"]) == 0
    assert json.loads(capsys.readouterr().out)["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def test_schema_of_the_ani_is_an_open_rpc_document_of_all_methods(capsys):
    assert main(["schema", "ani"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["openrpc"].startswith("1.3")
    named = [method["name"] for method in document["methods"]]
    assert named == [
        "get-topology",
        "get-running-cfg",
        "update-cfg",
        "execute-cmd",
        "search-manual",
        "get-reachability",
        "budget-left",
        "get-brief",
        "task-done",
    ]
    (commands,) = [one for one in document["methods"][2]["params"] if one["name"] == "commands"]
    assert commands["required"]
    assert commands["schema"]["maxItems"] == 500


def test_schema_writes_to_a_file(tmp_path, capsys):
    assert main(["schema", "--output", str(tmp_path / "s.json")]) == 0
    assert json.loads((tmp_path / "s.json").read_text())["title"] == "pytest-netbench task file"
    assert capsys.readouterr().out == ""


def test_a_file_that_cannot_be_written_is_one_line_on_stderr_and_status_3(tmp_path, capsys):
    target = tmp_path / "none" / "s.json"
    assert main(["schema", "--output", str(target)]) == 3
    assert capsys.readouterr().err == f"netbench: cannot use {target}: No such file or directory\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_one_line_on_stderr_and_status_3(capsys):
    assert main(["schema", "--output", "/dev/full"]) == 3
    assert "No space left on device" in capsys.readouterr().err


def test_a_reader_that_closes_early_is_no_error():
    code = "import sys; from pytest_netbench.cli.main import main; sys.exit(main())"
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-c", code, "schema"], stdout=write, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (0, "")


def test_validate_says_ok_for_each_good_file_of_a_folder(tmp_path, capsys):
    for name in ("b.task.yaml", "a.task.json"):
        path = tmp_path / "qos" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(
            TASK
            if name.endswith("yaml")
            else json.dumps({"task_name": "T", "intents": ["x"], "topology": {"nodes": ["R1"]}, "testcases": [SHOWN]})
        )
    (tmp_path / "qos" / "notes.yaml").write_text("no: task")
    assert main(["validate", str(tmp_path)]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith(f"{tmp_path}/qos/a.task.json: ok (a, 1 nodes, 1 testcases, no recorded solutions, digest ")
    assert second.startswith(f"{tmp_path}/qos/b.task.yaml: ok (b, ")


def test_validate_tells_each_bad_file_and_goes_on(tmp_path, capsys):
    (tmp_path / "a.task.yaml").write_text(TASK + "platform: frrouting\n")
    (tmp_path / "b.task.yaml").write_text(TASK)
    assert (
        main(["validate", str(tmp_path / "a.task.yaml"), str(tmp_path / "b.task.yaml"), str(tmp_path / "c.task.yaml")])
        == 1
    )
    out, err = capsys.readouterr()
    assert "b.task.yaml: ok" in out
    assert err.splitlines()[0].startswith(f"{tmp_path}/a.task.yaml:5:1: unknown platform 'frrouting'")
    assert err.splitlines()[1] == f"{tmp_path}/c.task.yaml: cannot be read: No such file or directory"


def test_validate_of_a_folder_without_tasks_is_wrong_input(tmp_path, capsys):
    assert main(["validate", str(tmp_path)]) == 2
    assert (
        capsys.readouterr().err
        == f"netbench: {tmp_path}: no task files (*.task.yaml, *.task.yml, *.task.json) in this folder\n"
    )


def test_errors_of_the_real_process_have_no_traceback(tmp_path):
    done = netbench("validate", tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1


def test_the_console_script_is_this_command():
    from importlib.metadata import entry_points

    (script,) = entry_points(group="console_scripts", name="netbench")
    assert script.load() is main
