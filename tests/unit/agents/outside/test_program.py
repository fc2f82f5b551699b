"""Agents that are programs: what they are given, what they hand in, and how each way to fail ends."""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
import time
from pathlib import Path

import pytest

from pytest_netbench.agents.agentfile import AgentFile, load_agent_file
from pytest_netbench.agents.ending import EndedApart
from pytest_netbench.agents.external import mcp_server
from pytest_netbench.agents.external.program import Program
from pytest_netbench.errors import AgentError, AgentFileError, BudgetExhausted, RequirementMissing
from pytest_netbench.model.task import Budget
from pytest_netbench.sealing.keys import SealingKey, write_key
from tests.support.memory_ani import MemoryAni, brief_of

ANSWER = {"type": "object", "properties": {"fault": {"type": "string"}}, "required": ["fault"]}

CLIENT = """
import json, os, socket, sys
line = socket.socket(socket.AF_UNIX)
line.connect(os.environ["NETBENCH_ANI_SOCKET"])
answers = line.makefile("rb")
def call(method, **params):
    line.sendall(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode() + b"\\n")
    return json.loads(answers.readline())
"""


@pytest.fixture
def ani() -> MemoryAni:
    return MemoryAni({"R1": ["a", "b"], "R2": []})


def program(command, *, root: Path | None = None, **section) -> Program:
    section = {"command": command, "confine": False, **section}
    model = section.pop("model", None)
    return Program(
        file=AgentFile.model_validate({"name": "mine", "strategy": "program", "model": model, "program": section}),
        root=root or Path("/nowhere"),
    )


def is_running(pid: str) -> bool:
    """Whether a process has not ended; one that nobody has waited for has."""
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        status = _read(Path(f"/proc/{pid}/status"))
        if not status or "State:\tZ" in status:
            return False
        time.sleep(0.02)
    return True


def python(code: str) -> list[str]:
    return ["python3", "-c", CLIENT + code]


def test_a_program_gets_the_brief_and_hands_in_on_its_output(ani):
    code = "brief = json.load(sys.stdin); print(json.dumps({'reasoning': ' '.join(brief['devices'])}))"
    submission = program(python(code)).run(brief_of(ani), ani)
    assert (submission.reasoning, submission.stop_reason) == ("R1 R2", "done")


def test_a_program_may_ask_for_its_brief_and_hand_in_over_the_socket(ani):
    code = "text = call('get-brief')['result']['text']; call('task-done', reasoning=text); print('whatever it likes')"
    submission = program(python(code)).run(brief_of(ani), ani)
    assert "R1 reaches 192.0.2.0/24 by R2" in submission.reasoning
    assert ani.methods == []


def test_an_answer_that_does_not_fit_is_refused_and_the_last_one_counts(ani):
    brief = brief_of(ani).model_copy(update={"answer": ANSWER})
    code = (
        "said = [call('task-done'), call('task-done', answer={}), call('task-done', answer={'fault': 'x'})]\n"
        "call('task-done', answer={'fault': 'y'}, reasoning=' / '.join(one['error']['message'] for one in said[:2]))"
    )
    submission = program(python(code)).run(brief, ani)
    assert submission.answer == {"fault": "y"}
    assert submission.reasoning == (
        "task-done: this task asks for an 'answer', see get-brief / task-done: the answer lacks 'fault'"
    )


def test_the_prompt_is_the_task_in_words_wherever_it_is_asked_for(ani):
    by_argument = program(["printf", "%s", "{prompt}"], output="text", stdin="nothing").run(brief_of(ani), ani)
    by_stdin = program(["cat"], output="text", stdin="prompt").run(brief_of(ani), ani)
    assert by_argument.reasoning == by_stdin.reasoning
    assert "R1 reaches 192.0.2.0/24 by R2" in by_stdin.reasoning


def test_what_replaces_a_placeholder_is_not_replaced_again(ani, tmp_path):
    brief = brief_of(ani).model_copy(update={"intents": ("use {model} and {socket}",)})
    submission = program(["printf", "%s", "{model}: {prompt}"], output="text", model="m", root=tmp_path).run(brief, ani)
    assert submission.reasoning.startswith("m: ")
    assert "use {model} and {socket}" in submission.reasoning


def test_text_and_usage_are_read_from_json(ani):
    printed = {"result": "fine", "usage": {"in": 5, "cached": 6, "out": 7}, "cost": 0.25}
    fields = {
        "reasoning": "result",
        "prompt_tokens": ["usage.in", "usage.cached", "usage.none"],
        "completion_tokens": ["usage.out"],
        "cost_usd": "cost",
    }
    command = ["printf", "%s", json.dumps(printed).replace("{", "{{").replace("{{", "{")]
    submission = program(command, output="json", fields=fields).run(brief_of(ani), ani)
    usage = submission.usage
    assert submission.reasoning == "fine"
    assert (usage.prompt_tokens, usage.completion_tokens, usage.completions, usage.cost_usd) == (11, 7, 1, 0.25)


def test_of_lines_the_last_text_counts_and_numbers_are_added_up(ani):
    lines = [
        "Reading prompt from stdin...",
        json.dumps({"type": "item.completed", "item": {"type": "reasoning", "text": "let me see"}}),
        json.dumps({"type": "item.completed", "item": {"type": "agent_message", "text": "done so"}}),
        json.dumps({"type": "turn.completed", "usage": {"input_tokens": 10, "output_tokens": 2}}),
        json.dumps({"type": "turn.completed", "usage": {"input_tokens": 20, "output_tokens": True}}),
    ]
    fields = {
        "reasoning": "item.text",
        "prompt_tokens": ["usage.input_tokens"],
        "completion_tokens": ["usage.output_tokens"],
    }
    submission = program(["printf", "%s\n", *lines], output="json-lines", fields=fields).run(brief_of(ani), ani)
    assert submission.reasoning == "done so"
    assert (submission.usage.prompt_tokens, submission.usage.completion_tokens) == (30, 2)


@pytest.mark.parametrize(
    ("command", "output", "words"),
    [
        (["/no/such/program"], "submission", "cannot be started"),
        (["sh", "-c", "echo broken >&2; exit 3"], "submission", "ended with status 3: broken"),
        (["sh", "-c", "kill -9 $$"], "submission", "ended with signal 9 (SIGKILL): it was killed"),
        (["sh", "-c", "kill -SEGV $$"], "submission", "ended with signal 11 (SIGSEGV)"),
        (
            ["echo", "hello"],
            "submission",
            "printed no submission: not JSON (Expecting value: line 1 column 1 (char 0)); it begins with 'hello'",
        ),
        (["true"], "submission", "printed no submission: it printed nothing"),
        (["echo", '{"reasoning": 7}'], "submission", "printed no submission: reasoning: should be a valid string"),
        (["echo", '{"reason": "x"}'], "submission", "reason: unknown member (known: reasoning, answer, stop_reason, "),
        (["echo", "[1]"], "json", "it is not a JSON object"),
        (["echo", "no line"], "json-lines", "there is no line with a JSON object"),
        (["printf", r"\377\000{"], "submission", "printed no submission"),
    ],
)
def test_a_program_that_fails_says_how(ani, command, output, words):
    with pytest.raises(AgentError, match=re.escape(words)):
        program(command, output=output).run(brief_of(ani), ani)


def test_a_confined_program_that_a_signal_ends_says_which(ani):
    if shutil.which("bwrap") is None:
        pytest.skip("needs bubblewrap: apt-get install bubblewrap")
    with pytest.raises(EndedApart) as caught:
        program(["sh", "-c", "kill -SEGV $$"], confine=True).run(brief_of(ani), ani)
    assert caught.value.raised.process == "signal 11 (SIGSEGV)"


def test_a_program_that_its_confinement_hides_is_said_to_be_hidden_there(ani, tmp_path):
    if shutil.which("bwrap") is None:
        pytest.skip("needs bubblewrap: apt-get install bubblewrap")
    hidden = tmp_path / "mine"
    hidden.write_text("#!/bin/sh\n")
    hidden.chmod(0o755)
    with pytest.raises(AgentError, match=r"mine cannot be started in its confinement \(bubblewrap\): bwrap: execvp"):
        program([str(hidden)], confine=True).run(brief_of(ani), ani)


def test_a_program_is_the_first_to_die_if_memory_runs_out(ani):
    command = ["sh", "-c", "sleep 0.3; cat /proc/self/oom_score_adj"]
    assert program(command, output="text").run(brief_of(ani), ani).reasoning == "1000"


def test_what_was_handed_in_before_a_crash_is_kept(ani):
    with pytest.raises(AgentError, match="ended with status 1") as caught:
        program(python("call('task-done', reasoning='all set'); raise SystemExit(1)")).run(brief_of(ani), ani)
    assert caught.value.submission.reasoning == "all set"


def test_a_program_sees_no_variable_that_is_not_passed_on(ani, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    command = ["sh", "-c", """printf '{"reasoning": "%s"}' "[$OPENAI_API_KEY]" """]
    assert program(command).run(brief_of(ani), ani).reasoning == "[]"
    assert program(command, environment=["OPENAI_API_KEY"]).run(brief_of(ani), ani).reasoning == "[secret]"


def test_a_program_that_does_not_end_is_ended_when_the_time_is_up(tmp_path):
    budget = Budget(wall_s=0.4)
    ani = MemoryAni({"R1": []}, budget=budget)
    pid = tmp_path / "pid"
    with pytest.raises(BudgetExhausted, match="wall_s"):
        program(["sh", "-c", f"sleep 60 & echo $! > {pid}; wait"]).run(brief_of(ani, budget=budget), ani)
    assert not is_running(pid.read_text().strip())


def test_a_child_that_stays_behind_does_not_hold_up_the_trial(ani, tmp_path):
    pid = tmp_path / "pid"
    began = time.monotonic()
    command = ["sh", "-c", f"""sleep 60 & echo $! > {pid}; echo '{{"reasoning": "left one"}}'"""]
    assert program(command).run(brief_of(ani), ani).reasoning == "left one"
    assert time.monotonic() - began < 5
    assert not is_running(pid.read_text().strip())


def test_a_flood_ends_the_program_and_costs_no_memory(ani):
    with pytest.raises(AgentError, match="printed more than 16 MiB"):
        program(["yes"]).run(brief_of(ani), ani)


def test_a_flood_of_errors_is_thrown_away_but_for_its_end(ani):
    command = ["sh", "-c", "yes nonsense | head -c 50000000 >&2; echo last words >&2; exit 1"]
    with pytest.raises(AgentError, match="last words") as caught:
        program(command).run(brief_of(ani), ani)
    assert len(str(caught.value)) < 600


def test_a_breach_of_the_protocol_is_answered_and_ends_nothing(ani):
    code = (
        "line.sendall(b'nonsense\\n'); one = json.loads(answers.readline())['error']['code']\n"
        "two = call('no-such-method')['error']['code']\n"
        "three = call('get-topology')['result']['topology']['nodes']\n"
        "call('task-done', reasoning=f'{one} {two} {len(three)}')"
    )
    assert program(python(code)).run(brief_of(ani), ani).reasoning == "-32700 -32601 2"


@pytest.mark.parametrize(
    ("section", "words"),
    [
        ({"command": ["x", "{promt}"]}, r"\{promt\}, which stands for nothing .* Did you mean \{prompt\}\?"),
        ({"command": ["x", "{model}"]}, "names no model"),
    ],
)
def test_a_wrong_placeholder_is_refused_before_anything_runs(section, words):
    with pytest.raises(AgentFileError, match=words):
        program(**section)


def test_a_program_without_its_section_is_refused():
    with pytest.raises(AgentFileError, match="needs a section `program`"):
        Program(file=AgentFile(name="mine", strategy="program"), root=Path())


def test_without_bubblewrap_a_confined_program_is_not_run(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(RequirementMissing, match=r"needs bubblewrap .fix: apt-get install bubblewrap"):
        program(["true"], confine=True).prepare()


def test_without_the_sdk_a_program_that_wants_mcp_is_not_run(monkeypatch):
    monkeypatch.setattr(mcp_server, "find_spec", lambda name: None)
    program(["true"]).prepare()
    with pytest.raises(RequirementMissing, match=r"MCP needs its SDK .fix: pip install 'pytest-netbench\[mcp\]'"):
        program(["true", "{mcp_url}"]).prepare()


SEARCH = """
import os, subprocess
found = []
for place in json.load(sys.stdin)["intents"][0].split():
    found += [place] if os.path.exists(place) and (os.path.isfile(place) or os.listdir(place)) else []
seen = [name for name in os.listdir("/proc") if name.isdigit()]
lines = subprocess.run("cat /proc/[0-9]*/cmdline", shell=True, capture_output=True, text=True).stdout
found += ["command lines"] if "SECRET" + "-PATH" in lines else []
found += ["processes"] if len(seen) > 4 else []
walk = ["find", "/etc", "/tmp", os.environ["HOME"], "-name", "answer.task.yaml"]
found += subprocess.run(walk, capture_output=True, text=True).stdout.split()
found += [name for name in os.environ if "KEY" in name or "PYTEST" in name]
found += ["rights"] if "CapEff:\\t0000000000000000" not in open("/proc/self/status").read() else []
found += ["/usr is writable"] if os.access("/usr", os.W_OK) else []
open("notes.txt", "w").write("my own folder")
call("task-done", reasoning=f"found {found}; {len(call('get-topology')['result']['topology']['nodes'])} nodes")
"""


def test_a_confined_program_that_searches_finds_nothing_and_works(ani, tmp_path, monkeypatch):
    root, home = tmp_path / "home" / "SECRET-PATH", tmp_path / "home"
    (root / ".git").mkdir(parents=True)
    (root / "answer.task.yaml").write_text("ground truth")
    (root / "results.jsonl").write_text("results")
    outside = home / "baselines"
    outside.mkdir()
    (outside / "answer.task.yaml").write_text("baseline")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("SOME_API_KEY", "secret")
    source = Path(__file__).parents[4]
    places = [root, root / ".git", root / "results.jsonl", outside, source / "tasks", source / ".git", Path.cwd()]
    brief = brief_of(ani).model_copy(update={"intents": (" ".join(map(str, places)),)})
    submission = program(python(SEARCH), confine=True, root=root, hide=[str(outside)]).run(brief, ani)
    assert submission.reasoning == "found []; 2 nodes"
    free = program(python(SEARCH), root=root).run(brief, ani).reasoning
    assert {str(root / "results.jsonl"), str(outside), "processes"} <= set(re.findall(r"'([^']+)'", free))


@pytest.fixture
def short_path():
    """A folder in which the path of a socket is not too long."""
    with tempfile.TemporaryDirectory(prefix="nb", dir="/tmp") as folder:
        yield Path(folder)


def test_links_and_temporary_files_in_the_home_show_nothing_either(ani, short_path, monkeypatch):
    real = short_path / "data" / "me"
    root, temporary = real / "project", real / "tmp"
    for folder in (root, temporary):
        folder.mkdir(parents=True)
        (folder / "answer.task.yaml").write_text("ground truth")
    (short_path / "home").symlink_to(short_path / "data")
    home = short_path / "home" / "me"
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    places = [top / below for top in (real, home) for below in ("project", "tmp/answer.task.yaml")]
    brief = brief_of(ani).model_copy(update={"intents": (" ".join(map(str, places)),)})
    told = program(python(SEARCH), confine=True, root=home / "project").run(brief, ani)
    assert told.reasoning == "found []; 2 nodes"


def test_a_confined_program_keeps_its_home_and_what_is_shown(ani, tmp_path, monkeypatch):
    home = tmp_path / "home"
    root = home / "project"
    (root / "agents").mkdir(parents=True)
    (root / "agents" / "mine.sh").write_text('cat "$1" "$HOME/.login"; ls "$HOME/project" "$2"')
    (root / "data").mkdir()
    (root / "data" / "words").write_text("shown ")
    (home / ".login").write_text("my login ")
    monkeypatch.setenv("HOME", str(home))
    command = ["sh", "{root}/agents/mine.sh", str(root / "data" / "words"), "{folder}"]
    submission = program(command, confine=True, root=root, show=["data"], output="text", stdin="nothing").run(
        brief_of(ani), ani
    )
    assert submission.reasoning.startswith("shown my login ")
    listed = submission.reasoning.split()[3:]
    assert [word for word in listed if not word.startswith("/tmp/netbench-")] == [f"{home}/project:", "agents", "data"]


def test_a_confined_program_ends_with_all_it_started(tmp_path):
    budget = Budget(wall_s=1.0)
    ani = MemoryAni({"R1": []}, budget=budget)
    marker = f"{3000 + os.getpid() % 1000}.25"
    with pytest.raises(BudgetExhausted):
        program(["sh", "-c", f"setsid sleep {marker} & setsid sleep {marker} & wait"], confine=True).run(
            brief_of(ani, budget=budget), ani
        )
    time.sleep(0.3)
    assert not [one for one in Path("/proc").glob("[0-9]*/cmdline") if marker in _read(one)]


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""


def test_nothing_is_left_in_the_folder_for_temporary_files(ani, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    program(["true"], output="text").run(brief_of(ani), ani)
    assert list(tmp_path.iterdir()) == []


def test_the_section_of_another_strategy_is_refused_with_its_line(tmp_path):
    path = tmp_path / "mine.agent.yaml"
    path.write_text("model: m\nstrategy: react\nprogram:\n  command: [x]\n")
    with pytest.raises(AgentFileError, match="is for `strategy: program`, not for 'react'"):
        load_agent_file(path)


SEEKS_KEYS = """
import glob, json, os, pathlib

seen = {"environment": str(dict(os.environ))}
for path in [*pathlib.Path(os.environ["HOME"]).rglob("*"), *map(pathlib.Path, glob.glob("/proc/*/environ"))]:
    try:
        seen[str(path)] = path.read_bytes().decode(errors="replace")
    except OSError:
        pass
print(json.dumps({"reasoning": json.dumps(seen)}))
"""


@pytest.mark.parametrize("shown", [False, True], ids=["hidden", "in a folder that is shown"])
def test_a_confined_program_sees_not_the_key_of_sealed_tasks(ani, tmp_path, monkeypatch, shown):
    """It sees another file beside the key, and its own environment: it does look."""
    home, project = tmp_path / "home", tmp_path / "project"
    project.mkdir()
    (home / "keys").mkdir(parents=True)
    (home / "keys" / "visible.txt").write_text("anybody may read this")
    key = SealingKey.new()
    write_key(home / "keys" / "owner.key", key)
    monkeypatch.chdir(project)
    # the path of a socket has at most 107 bytes
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "t"))
    (tmp_path / "t").mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("NETBENCH_KEY_FILE", str(home / "keys" / "owner.key"))
    show = [str(home / "keys")] if shown else []
    command = ["/usr/bin/python3", "-c", SEEKS_KEYS]
    seen = program(command, root=project, confine=True, show=show).run(brief_of(ani), ani).reasoning
    assert "anybody may read this" in seen
    assert "NETBENCH_ANI_SOCKET" in seen
    assert key.text not in seen
    monkeypatch.delenv("NETBENCH_KEY_FILE")
    seen = program(command, root=project, confine=True, show=show).run(brief_of(ani), ani).reasoning
    assert key.text in seen, "a file that nobody names as a key is a file of the home"
