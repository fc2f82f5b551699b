"""What keeps an agent from starting, found without a lab and without importing the agent here."""

from __future__ import annotations

import os
import sys

import pytest

from pytest_netbench.agents.check import check_agent
from pytest_netbench.agents.startup.probe import probe_class
from pytest_netbench.errors import AgentCannotStart, AgentFileError

START = """\
from pytest_netbench.model.trial import AgentInfo, Submission


class Base:
    info = AgentInfo(id="broken", strategy="own")

    def run(self, brief, ani):
        return Submission()


"""
BROKEN = {
    "import-error": (
        "import requestz\n" + START + "class X(Base): ...",
        "ModuleNotFoundError: No module named 'requestz'",
    ),
    "syntax-error": (START + "class X(Base:\n    ...", "SyntaxError: "),
    "raises-at-import": (START + "{}['nothing']", "KeyError: 'nothing'"),
    "renamed": (START + "class Y(Base): ...", "broken has no 'X' (agents in it: Base, Y;"),
    "leaves-at-import": ("import os\nos._exit(0)", "importing broken ended the process: status 0"),
    "sys-exit": ("import sys\nsys.exit()", "importing broken failed: SystemExit"),
    "init-raises": (
        START + "class X(Base):\n    def __init__(self):\n        self.table = {}['nothing']",
        "cannot be created with no arguments: KeyError: 'nothing'",
    ),
    "init-leaves": (
        START + "import os\nclass X(Base):\n    def __init__(self):\n        os._exit(3)",
        "creating broken:X ended the process: status 3",
    ),
    "init-crashes": (
        START + "import os\nclass X(Base):\n    def __init__(self):\n        os.kill(os.getpid(), 11)",
        "creating broken:X ended the process: signal SIGSEGV",
    ),
    "init-needs": (
        START + "class X(Base):\n    def __init__(self, depth): ...",
        "missing a required argument: 'depth'",
    ),
    "abstract": (
        START + "import abc\nclass X(Base, abc.ABC):\n    @abc.abstractmethod\n    def more(self): ...",
        "Can't instantiate abstract class X",
    ),
    "no-info": (START + "class X:\n    run = Base.run", "is no agent: it has no 'info'"),
    "info-is-a-method": (START + "class X(Base):\n    def info(self): ...", "`info` is a method"),
    "info-is-a-dict": (START + "class X(Base):\n    info = {'id': 'x'}", "`info` is of type dict"),
    "info-raises": (
        START + "class X(Base):\n    @property\n    def info(self): return self.nothing",
        "reading `info` failed: AttributeError",
    ),
    "info-invalid": (
        START + "class X(Base):\n    info = AgentInfo.model_construct(id=7, strategy='own')",
        "`info` has invalid members",
    ),
    "no-run": (START + "class X:\n    info = Base.info", "is no agent: it has no 'run'"),
    "run-is-async": (START + "class X(Base):\n    async def run(self, brief, ani): ...", "`run` is `async def`"),
    "run-takes-one": (
        START + "class X(Base):\n    def run(self, brief): ...",
        "`run` takes (brief), and it is called as",
    ),
    "run-takes-three": (
        START + "class X(Base):\n    def run(self, brief, ani, more): ...",
        "missing a required argument",
    ),
    "run-yields": (START + "class X(Base):\n    def run(self, brief, ani): yield", "`run` has `yield`"),
    "no-class": (START + "X = 7", "broken:X is no class but of type int"),
}
FILES = {
    "options-key": (
        "strategy: fine:Fine\noptions: {dept: 3}\n",
        2,
        "got an unexpected keyword argument 'dept' (it takes: depth). Did you mean 'depth'?",
    ),
    "model-of-a-class": ("strategy: fine:Fine\nmodel: openai/a\n", 1, "(the file's `model` is passed as `model`)"),
    "options-of-a-model": (
        "model: openai/a\noptions: {depth: 3}\n",
        2,
        "`options` are the arguments of a module:Class",
    ),
    "options-of-nop": ("strategy: nop\noptions: {depth: 3}\n", 2, "unexpected keyword argument 'depth'"),
    "unknown-key": ("strategy: fine:Fine\noption: {depth: 3}\n", 2, "Did you mean 'options'"),
    "strategy": ("strategy: reakt\nmodel: openai/a\n", 1, "agent mine cannot start: unknown agent 'reakt' (known: "),
    "yaml": ("strategy: [\n", 1, "mine.agent.yaml"),
    "module": ("strategy: nowhere:Fine\n", 1, "there is no module 'nowhere'"),
    "no-program": (
        "strategy: program\nprogram: {command: [no-such-program]}\n",
        2,
        "agent mine cannot start: program.command: there is no program 'no-such-program' on PATH",
    ),
    "no-script": (
        "strategy: program\nprogram: {command: [python3, '{root}/agents/none.py']}\n",
        2,
        "/agents/none.py",
    ),
    "relative-script": (
        "strategy: program\nprogram: {command: [python3, agents/mine.py]}\n",
        2,
        "starts in an empty folder: write {root}/agents/mine.py",
    ),
    "relative-program": (
        "strategy: program\nprogram: {command: [./mine.sh]}\n",
        2,
        "'./mine.sh' is a relative path",
    ),
    "no-server": (
        "strategy: a2a\na2a: {command: [no-such-server, '{port}']}\n",
        2,
        "a2a.command: there is no program 'no-such-server'",
    ),
    "no-section": ("strategy: program\n", None, "needs a section `program`"),
    "no-prompt": ("model: openai/a\nprompt: none.md\n", None, "none.md"),
    "no-model": ("strategy: react\n", 1, "needs a model"),
    "no-provider": ("model: expert\n", 1, "litellm does not know whose model 'expert' is"),
}
FINE = START + "class Fine(Base):\n    def __init__(self, *, depth=1): ...\n"


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A project with an agent that can start, and a key."""
    (tmp_path / "agents").mkdir()
    (tmp_path / "fine.py").write_text(FINE)
    monkeypatch.setenv("OPENAI_API_KEY", "unused")
    return tmp_path


def refusal(root, source, *, spec="broken:X", **settings):
    (root / "broken.py").write_text(source + "\n")
    with pytest.raises(AgentCannotStart) as caught:
        probe_class(spec, rootdir=root, **settings)
    return caught.value


@pytest.mark.parametrize("case", BROKEN)
def test_a_class_that_cannot_start_is_refused_with_its_file(root, case):
    source, words = BROKEN[case]
    error = refusal(root, source)
    assert words in error.reason
    assert "broken.py" in str(error)
    assert len(error.frames) <= 8
    assert "pytest_netbench/" not in str(error)
    assert "broken" not in sys.modules


def test_a_class_that_can_start_is_not_refused(root):
    probe_class("fine:Fine", rootdir=root, options={"depth": 3})


def test_a_hang_ends_after_the_limit_and_names_the_line(root):
    error = refusal(root, "import time\ntime.sleep(600)", limit_s=1)
    assert error.reason == "broken:X: importing broken took longer than 1 s"
    assert error.frames == ("  broken.py:2, in <module>\n    time.sleep(600)",)


def test_threads_and_children_of_an_import_hold_nobody_up(root):
    source = (
        "import subprocess, threading, time\nthreading.Thread(target=time.sleep, args=(600,)).start()\n"
        "subprocess.Popen(['sleep', '600'])\n" + START + "class X(Base): ..."
    )
    (root / "broken.py").write_text(source + "\n")
    probe_class("broken:X", rootdir=root, limit_s=30)


def test_frames_are_the_agents_own_and_at_most_eight(root):
    error = refusal(root, "import json\ndef down(n):\n    return down(n - 1) if n else json.loads('{')\ndown(20)")
    assert error.frames == ("  broken.py:3, in down\n    return down(n - 1) if n else json.loads('{')",) * 8


def test_what_it_printed_is_told_and_a_flood_is_cut(root):
    error = refusal(root, "print('garbage\\x00')\nfor n in range(5000): print('x' * 500)\n{}['nothing']")
    assert len(error.printed) == 10
    assert max(map(len, error.printed)) == 200


def test_an_input_is_at_its_end_and_the_answer_cannot_be_printed(root):
    assert "EOFError" in refusal(root, "input()").reason
    assert "has no 'X'" in refusal(root, "print('{\"ok\": true}')").reason


def test_the_key_of_sealed_tasks_is_not_shown_to_it(root, monkeypatch):
    monkeypatch.setenv("NETBENCH_KEY", "secret")
    monkeypatch.setenv("NETBENCH_KEY_FILE", "/nowhere/key")
    source = "import os\nraise OSError([one for one in os.environ if one.startswith('NETBENCH_KEY')])"
    assert "OSError: []" in refusal(root, source).reason


@pytest.mark.parametrize("case", FILES)
def test_an_agent_file_that_cannot_start_is_refused_with_its_line(root, case):
    text, line, words = FILES[case]
    path = root / "agents" / "mine.agent.yaml"
    path.write_text(text)
    with pytest.raises((AgentCannotStart, AgentFileError)) as caught:
        check_agent("mine", rootdir=root)
    assert words in str(caught.value)
    assert str(path) in str(caught.value)
    assert caught.value.line == line


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("expert", "litellm does not know whose model 'expert' is.*Did you mean 'runbook-expert'"),
        ("openia/gpt-4o", r"litellm does not know the provider 'openia'.*Did you mean openai/gpt-4o\?"),
        ("nowhere:Fine", "agent nowhere.Fine cannot start: nowhere:Fine: there is no module 'nowhere'"),
    ],
)
def test_an_agent_that_is_named_wrongly_is_refused(root, spec, words):
    with pytest.raises(AgentCannotStart, match=words):
        check_agent(spec, rootdir=root)


def test_a_model_without_the_key_of_its_provider_is_refused_unless_it_is_replayed(root, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(AgentCannotStart, match=r"openai/a needs a key\. Fix: export OPENAI_API_KEY=…"):
        check_agent("openai/a", rootdir=root)
    check_agent("openai/a", rootdir=root, replayed=True)


@pytest.mark.parametrize(
    "file",
    [
        "strategy: program\nprogram: {command: [sh, -c, 'exit 3']}\n",
        "strategy: program\nprogram: {command: [python3, '{root}/agents/mine.py']}\n",
        "strategy: program\nprogram: {command: [python3, -u, '{root}/agents/mine.py', --deep]}\n",
        "strategy: program\nprogram: {command: [python3, -m, json]}\n",
        "strategy: program\nprogram: {command: ['{root}/agents/run.sh', '{mcp_url}']}\n",
        "strategy: program\nprogram: {command: ['{folder}/made-later']}\n",
        "strategy: program\nprogram: {command: ['{root}/agents/run.sh'], confine: false}\n",
        "strategy: fine:Fine\noptions: {depth: 3}\n",
        "model: ollama/llama3\n",
        "model: my-own\nsettings: {extra: {custom_llm_provider: openai}}\n",
        "strategy: nop\n",
    ],
)
def test_an_agent_file_that_can_start_is_not_refused(root, file):
    (root / "agents" / "mine.py").write_text("")
    (root / "agents" / "run.sh").write_text("#!/bin/sh\n")
    (root / "agents" / "run.sh").chmod(0o755)
    (root / "agents" / "mine.agent.yaml").write_text(file)
    check_agent("mine", rootdir=root)


def test_a_program_that_the_confinement_hides_is_refused_and_one_that_is_shown_is_not(root):
    tool = root / "tools" / "mine"
    tool.parent.mkdir()
    tool.write_text("#!/bin/sh\n")
    path = root / "agents" / "mine.agent.yaml"
    path.write_text(f"strategy: program\nprogram: {{command: [{tool}]}}\n")
    with pytest.raises(AgentCannotStart, match=r"is not executable \(fix: chmod \+x"):
        check_agent("mine", rootdir=root)
    tool.chmod(0o755)
    with pytest.raises(AgentCannotStart, match="is hidden from a confined program: add it to `show`"):
        check_agent("mine", rootdir=root)
    path.write_text(f"strategy: program\nprogram: {{command: [{tool}], show: [tools]}}\n")
    check_agent("mine", rootdir=root)


def test_an_agent_of_another_distribution_is_tried_in_a_process_of_its_own(root, monkeypatch):
    site = root / "site"
    (site / "others-1.0.dist-info").mkdir(parents=True)
    (site / "others-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: others\nVersion: 1.0\n")
    (site / "others-1.0.dist-info" / "entry_points.txt").write_text("[pytest_netbench.agents]\ntheirs = others:X\n")
    (site / "others.py").write_text("import os\nos._exit(4)\n")
    monkeypatch.syspath_prepend(str(site))
    with pytest.raises(AgentCannotStart, match="agent theirs cannot start: others:X: importing others ended the proc"):
        check_agent("theirs", rootdir=root)
    assert os.getpid()
