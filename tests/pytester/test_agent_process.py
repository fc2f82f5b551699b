"""Agents in a process of their own: what ends it is the agent's failure, and what works in this process works there."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.ios import eventually

AGENTS = '''
import ctypes, os, resource, signal, socket, sys, threading, time
from pytest_netbench.errors import AniError, BudgetExhausted, PolicyViolation
from pytest_netbench.model.trial import AgentInfo, Brief, Submission

REPAIR = ["no deny tcp 80 any", "route 10.9.0.0/16 via 10.0.2.10"]


class Base:
    @property
    def info(self):
        return AgentInfo(id=type(self).__name__, strategy="own")

    def run(self, brief, ani):
        if brief.task_name == "bad":
            self.end(brief, ani)
        ani.update_cfg("edge", REPAIR)
        return Submission(reasoning="repaired")


class Exits(Base):
    def end(self, brief, ani):
        os._exit(0)


class Segfaults(Base):
    def end(self, brief, ani):
        ctypes.string_at(0)


class Aborts(Base):
    def end(self, brief, ani):
        os.abort()


class Killed(Base):
    def end(self, brief, ani):
        os.kill(os.getpid(), signal.SIGKILL)


class Terminated(Base):
    def end(self, brief, ani):
        os.kill(os.getpid(), signal.SIGTERM)


class Overflows(Base):
    """Overflows the stack of C."""

    def end(self, brief, ani):
        sys.setrecursionlimit(10 ** 9)
        resource.setrlimit(resource.RLIMIT_STACK, (2 ** 20, 2 ** 20))
        threading.stack_size(65536)
        def through_c(n):
            return sorted([n], key=through_c)
        thread = threading.Thread(target=through_c, args=(0,))
        thread.start()
        thread.join()


class InAThread(Base):
    def end(self, brief, ani):
        thread = threading.Thread(target=os._exit, args=(7,))
        thread.start()
        thread.join()


class OutOfMemory(Base):
    """As if the kernel had no memory left: a limit of this process alone."""

    def end(self, brief, ani):
        used = int(open("/proc/self/statm").read().split()[0]) * 4096
        resource.setrlimit(resource.RLIMIT_AS, (used + 2 ** 26, used + 2 ** 26))
        kept = []
        while True:
            kept.append(bytearray(2 ** 20))


class Leaves(Base):
    def end(self, brief, ani):
        sys.exit(3)


class Closes(Base):
    def end(self, brief, ani):
        os.closerange(3, 100)


def sockets():
    known = [int(name) for name in os.listdir("/proc/self/fd")]
    links = {fd: f"/proc/self/fd/{fd}" for fd in known}
    return [fd for fd, link in links.items() if os.path.islink(link) and "socket" in os.readlink(link)]


class ShutsDown(Base):
    def end(self, brief, ani):
        for fd in sockets():
            socket.socket(fileno=fd).shutdown(socket.SHUT_RDWR)
        time.sleep(60)


class Garbage(Base):
    def end(self, brief, ani):
        for fd in sockets():
            os.write(fd, b"no message\\n")
        time.sleep(60)


class Forges(Base):
    def end(self, brief, ani):
        for fd in sockets():
            os.write(fd, b'{"jsonrpc": "2.0", "id": 10000, "result": {"submission": {}}}\\n')
        time.sleep(60)


class Forks(Base):
    """A copy of it returns from run, too, before it; a second one lives on in a session of its own."""

    def end(self, brief, ani):
        if os.fork() == 0:
            return
        if os.fork() == 0:
            os.setsid()
            time.sleep(600)
        os.wait()
        os._exit(5)


class Makes(Base):
    """Its process ends while it is made."""

    def __init__(self):
        if os.path.exists("bad.now"):
            os._exit(6)

    def end(self, brief, ani):
        raise KeyError("was made")


class Prepares(Base):
    def prepare(self):
        if "bad" in os.environ.get("PYTEST_CURRENT_TEST", ""):
            os._exit(8)
'''

LONG = 240
"""Seconds for a run on a busy machine."""
ENDS = {
    "Exits": "status 0",
    "Segfaults": "signal 11 (SIGSEGV)",
    "Aborts": "signal 6 (SIGABRT)",
    "Killed": "signal 9 (SIGKILL)",
    "Terminated": "signal 15 (SIGTERM)",
    "Overflows": "signal 11 (SIGSEGV)",
    "InAThread": "status 7",
    "Closes": "status 1",
    "ShutsDown": "closed its connection",
    "Garbage": "no message",
    "Forges": "answer to nothing that was asked",
    "Forks": "status 5",
    "Prepares": "status 8",
}


@pytest.fixture
def two(bench):
    """A task that ends an agent's process, and one after it."""
    for name in ("bad", "good"):
        bench.task(name, task_name=name)
    (bench.path / "ends.py").write_text(AGENTS)
    return bench


def test_an_agent_whose_process_ends_has_failed_one_trial_and_the_others_go_on(two):
    result = two.run(*(f"--agent=ends:{agent}" for agent in ENDS), timeout=LONG)
    result.assert_outcomes(passed=len(ENDS), failed=len(ENDS))
    assert result.ret == 1
    of_agents = {one["agent"]["id"].partition(".")[2]: one for one in two.results() if one["task_name"] == "bad"}
    assert {one["status"] for one in of_agents.values()} == {"failed"}
    assert {one["outcome"] for one in of_agents.values()} == {"agent-error"}
    for agent, how in ENDS.items():
        assert how in of_agents[agent]["error"]
        assert how in of_agents[agent]["process_end"]
    result.stdout.fnmatch_lines(["agent:      crash after *: the agent's process ended with status 0", "*1/2*"])
    place = "\n".join(of_agents["Segfaults"]["traceback"])
    assert "ends.py" in place
    assert "in end" in place
    assert "ctypes.string_at(0)" in place
    assert "pytest_netbench" not in place


def test_a_process_that_ends_is_counted_with_and_without_xdist(two, workers):
    two.run("--agent=ends:Exits", *workers, timeout=LONG).assert_outcomes(passed=1, failed=1)
    assert sorted(one["status"] for one in two.results()) == ["failed", "passed"]


def test_what_python_can_still_tell_is_told_with_its_place(two):
    two.run("--agent=ends:OutOfMemory", "--agent=ends:Leaves", timeout=LONG).assert_outcomes(passed=2, failed=2)
    failed = [one for one in two.results() if one["status"] == "failed"]
    for one, said in zip(sorted(failed, key=lambda one: one["node_id"]), ("SystemExit: 3", "MemoryError"), strict=True):
        assert said in one["error"]
        assert "in end" in "\n".join(one["traceback"])
        assert one["process_end"] is None


def test_a_process_that_ends_while_the_agent_is_made_is_the_agents_failure(two):
    (two.path / "conftest.py").write_text(
        "import os\n"
        "def pytest_runtest_setup(item):\n"
        "    if 'bad' in item.nodeid: open('bad.now', 'w').close()\n"
        "    elif os.path.exists('bad.now'): os.unlink('bad.now')\n"
    )
    two.run("--agent=ends:Makes", timeout=LONG).assert_outcomes(passed=1, failed=1)
    assert sorted(str(one["process_end"]) for one in two.results()) == ["None", "status 6"]


LEAVES = """
import os, subprocess, time
from pytest_netbench.model.trial import AgentInfo, Submission

class Leaves:
    info = AgentInfo(id="leaves", strategy="own")
    def run(self, brief, ani):
        daemon = ["setsid", "sh", "-c", "echo $$ > daemon; exec sleep 600"]
        subprocess.Popen(daemon)
        subprocess.Popen(["sh", "-c", "echo $$ > child; exec sleep 600"])
        with open("agent.tmp", "w") as file:
            file.write(str(os.getpid()))
        os.rename("agent.tmp", "agent")
        while not os.path.exists("go"):
            time.sleep(0.02)
        return Submission()
"""


def is_running(pid: int) -> bool:
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


@pytest.mark.parametrize("killed", [True, False])
def test_nothing_of_an_agent_is_left_after_the_run_or_after_kill_9_of_pytest(bench, killed):
    bench.task("reach")
    (bench.path / "leaves.py").write_text(LEAVES)
    argv = [sys.executable, "-m", "pytest", "tasks", "--agent=leaves:Leaves"]
    run = subprocess.Popen(argv, cwd=bench.path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    names = ("agent", "child", "daemon")
    assert eventually(lambda: all((bench.path / name).exists() for name in names), within_s=60)
    assert eventually(lambda: all((bench.path / name).read_text().strip() for name in names))
    pids = [int((bench.path / name).read_text()) for name in names]
    assert all(map(is_running, pids))
    if killed:
        os.kill(run.pid, signal.SIGKILL)
    else:
        (bench.path / "go").touch()
    run.wait(60)
    assert eventually(lambda: not any(map(is_running, pids)), within_s=5)


SAME = '''
import json, logging, os, subprocess, sys, threading
from pytest_netbench.errors import AniError, BudgetExhausted, LabError, PolicyViolation
from pytest_netbench.model.agentsettings import AgentSettings
from pytest_netbench.model.trial import AgentInfo, Submission, Usage

count = 0


def tried(work, *arguments):
    try:
        return [work(*arguments)]
    except Exception as error:
        plain = {k: v for k, v in vars(error).items() if isinstance(v, (str, int, float))}
        return [type(error).__name__, str(error), plain]


class Same:
    """Notes everything that it sees of its interface."""

    info = AgentInfo(
        id="same", strategy="own", settings={"depth": 2},
        overrides=AgentSettings.model_validate({"budget": {"calls": 40}, "policy": {"devices": ["edge", "branch"]}}),
    )

    def prepare(self):
        self.prepared = True

    def run(self, brief, ani):
        global count
        count += 1
        seen = {
            "brief": brief.model_dump(mode="json"),
            "class": type(brief).__name__,
            "topology": tried(ani.get_topology, ["edge"]),
            "config": tried(ani.get_running_cfg, "edge"),
            "update": tried(ani.update_cfg, "edge", ("no deny tcp 80 any", "rubbish")),
            "execute": tried(ani.execute_cmd, "edge", "show"),
            "strange": [
                tried(ani.get_running_cfg, "nowhere"),
                tried(ani.get_running_cfg, 7),
                tried(ani.get_running_cfg, None),
                tried(ani.update_cfg, "edge", "one text"),
                tried(ani.call, "no-such", {}),
                tried(ani.call, "note", {"text": "x"}),
                tried(ani.call, "keep", {}),
                tried(ani.call, "get-topology", []),
                tried(ani.get_running_cfg, "web"),
                tried(ani.get_running_cfg, "e\\ud800"),
            ],
            "offered": [one.model_dump(mode="json") for one in ani.offered()],
            "left": {k: v for k, v in ani.budget_left().items() if k != "wall_s"},
            "prepared": self.prepared,
        }
        ani.note("a note")
        ani.add_completion({"model": "m", "usage": {"prompt_tokens": 5, "cost_usd": 0.5}}, tokens=5)
        seen["tokens"] = ani.budget_left()["tokens"]
        together = [threading.Thread(target=ani.get_running_cfg, args=("edge",)) for _ in range(5)]
        for one in together: one.start()
        for one in together: one.join()
        while "BudgetExhausted" not in (last := tried(ani.get_topology)): pass
        seen["exhausted"] = last
        with open(os.environ["SEEN"], "w") as file:
            json.dump(seen, file, sort_keys=True)
        return Submission(reasoning="r", answer=None, usage=Usage(completions=1, prompt_tokens=5))
'''


def test_an_agent_sees_the_same_as_in_the_process_of_pytest(bench, monkeypatch):
    bench.task("reach")
    (bench.path / "same.py").write_text(SAME)
    seen = {}
    for way in ("apart", "here"):
        monkeypatch.setenv("SEEN", str(bench.path / way))
        bench.run("--agent=same:Same", f"--netbench-results={way}-results", timeout=LONG)
        (bench.path / "conftest.py").write_text(
            "import pytest\n@pytest.fixture\ndef agent(request):\n"
            "    from pytest_netbench.agents.resolve import resolve_agent\n"
            "    return resolve_agent('same:Same', rootdir=request.config.rootpath)\n"
        )
        seen[way] = json.loads((bench.path / way).read_text())
    strange = list(zip(seen["apart"].pop("strange"), seen["here"].pop("strange"), strict=True))
    assert seen["apart"] == seen["here"]
    for apart, here in strange:
        assert apart == here
    apart, here = (
        json.loads(next((bench.path / f"{way}-results" / "transcripts").iterdir()).read_text())
        for way in ("apart", "here")
    )

    def kept(trace):
        return [(one["kind"], one["data"].get("method"), one["data"].get("error")) for one in trace]

    assert sorted(map(str, kept(apart["trace"]))) == sorted(map(str, kept(here["trace"])))
    for name in ("agent", "submission", "commands", "violations", "outcome", "extras"):
        assert apart[name] == here[name]


PRINTS = """
import ctypes, logging, os, subprocess, sys
from pytest_netbench.model.trial import AgentInfo, Submission

print("printed by the import")

class Prints:
    info = AgentInfo(id="prints", strategy="own")
    def run(self, brief, ani):
        print("printed by", brief.task_name)
        print("to stderr by", brief.task_name, file=sys.stderr)
        sys.stdout.write("no end of line by " + brief.task_name)
        subprocess.run(["echo", "\\nby a program in", brief.task_name])
        ctypes.CDLL(None).printf(b"by C in %s\\n", brief.task_name.encode())
        os.write(1, b"\\xff no text\\n")
        logging.getLogger("mine").warning("logged by %s", brief.task_name)
        logging.getLogger("mine").info("not logged")
        return Submission()
"""


def test_what_an_agent_prints_and_logs_is_shown_with_its_trial(bench, workers):
    bench.task("one", task_name="one")
    bench.task("two", task_name="two")
    (bench.path / "prints.py").write_text(PRINTS)
    result = bench.run("--agent=prints:Prints", *workers, "-v", timeout=LONG)
    text = "\n".join(result.outlines)
    if text.find("_ one[") < text.find("_ two["):
        first, second = text.split("_ two[prints.Prints] _")
    else:
        second, first = text.split("_ one[prints.Prints] _")
    assert "printed by the import" in text
    for name, part, other in (("one", first, "two"), ("two", second, "one")):
        captured = part[part.index("- Captured stdout setup -") : part.index("- netbench scores -")]
        for line in (
            f"printed by {name}",
            f"to stderr by {name}",
            f"no end of line by {name}",
            f"by a program in {name}",
            f"by C in {name}",
            "� no text",
        ):
            assert line in captured, line
        assert f"by {other}" not in captured
        assert f"logged by {name}" in part
    assert "not logged" not in text


def test_without_capture_an_agent_prints_at_once(bench):
    bench.task("one", task_name="one")
    (bench.path / "prints.py").write_text(PRINTS)
    result = bench.run("--agent=prints:Prints", "-s", timeout=LONG)
    result.stdout.fnmatch_lines(["*printed by one*"])
    result.stderr.fnmatch_lines(["*to stderr by one*"])


HERE = """
import os
from pytest_netbench.model.trial import AgentInfo, Submission

class Here:
    info = AgentInfo(id="here", strategy="own")
    def run(self, brief, ani):
        with open("pids", "a") as file:
            file.write(f"{os.getpid()} {os.getppid()} {open('/proc/self/oom_score_adj').read().strip()}\\n")
        return Submission()
"""


def pids(bench):
    return [tuple(map(int, line.split())) for line in (bench.path / "pids").read_text().splitlines()]


def test_a_process_is_kept_for_many_trials_and_is_the_first_to_die(bench):
    for name in ("one", "two", "three"):
        bench.task(name)
    (bench.path / "here.py").write_text(HERE)
    (bench.path / "conftest.py").write_text("import os\nopen('pytest-pid', 'w').write(str(os.getpid()))\n")
    bench.run("--agent=here:Here", timeout=LONG)
    (bench_pid,) = [int((bench.path / "pytest-pid").read_text())]
    assert len(pids(bench)) == 3
    assert len(set(pids(bench))) == 1
    ((pid, parent, adjustment),) = set(pids(bench))
    assert pid != bench_pid != parent
    assert adjustment == 1000


@pytest.mark.parametrize("way", ["--pdb", "--trace", "fixture"])
def test_agents_of_a_fixture_and_with_a_debugger_stay_in_the_process_of_pytest(bench, way):
    bench.task("one")
    (bench.path / "here.py").write_text(HERE)
    conftest = "import os\nopen('pytest-pid', 'w').write(str(os.getpid()))\n"
    if way == "fixture":
        conftest += "import pytest, here\n@pytest.fixture\ndef agent(): return here.Here()\n"
    (bench.path / "conftest.py").write_text(conftest)
    options = () if way == "fixture" else (way,)
    argv = [sys.executable, "-m", "pytest", "tasks", "--agent=here:Here", *options]
    bench.pytester.run(*argv, stdin=b"c\nc\nc\nq\n", timeout=LONG)
    assert pids(bench)[0][0] == int((bench.path / "pytest-pid").read_text())


def test_an_agent_file_with_a_class_and_options_works_in_a_process_of_its_own(bench):
    bench.task("one")
    code = HERE.replace("    info =", "    def __init__(self, depth): self.depth = depth\n    info =")
    (bench.path / "here.py").write_text(code)
    (bench.path / "agents").mkdir()
    (bench.path / "agents" / "deep.agent.yaml").write_text(
        "strategy: here:Here\noptions: {depth: 3}\nbudget: {calls: 7}\n"
    )
    (bench.path / "conftest.py").write_text("import os\nopen('pytest-pid', 'w').write(str(os.getpid()))\n")
    bench.run("--agent=deep", timeout=LONG)
    assert pids(bench)[0][0] != int((bench.path / "pytest-pid").read_text())
    (result,) = bench.results()
    assert result["agent"]["id"] == "deep"
    assert result["agent"]["settings"]["budget"] == {"calls": 7}


def test_an_agent_that_a_third_party_registers_works_in_a_process_of_its_own(bench, monkeypatch):
    bench.task("one")
    site = bench.path / "third"
    info = site / "third_party-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "entry_points.txt").write_text("[pytest_netbench.agents]\nthird = here:Here\n")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: third-party\nVersion: 1.0\n")
    (site / "here.py").write_text(HERE)
    monkeypatch.setenv("PYTHONPATH", f"{site}{os.pathsep}{os.environ['PYTHONPATH']}")
    (bench.path / "conftest.py").write_text("import os\nopen('pytest-pid', 'w').write(str(os.getpid()))\n")
    bench.run("--agent=third", timeout=LONG)
    assert pids(bench)[0][0] != int((bench.path / "pytest-pid").read_text())


TIME = '''
import os, time
from pytest_netbench.errors import BudgetExhausted
from pytest_netbench.model.trial import AgentInfo, Submission

REPAIR = ["no deny tcp 80 any", "route 10.9.0.0/16 via 10.0.2.10"]


class Hangs:
    info = AgentInfo(id="hangs", strategy="own")
    def run(self, brief, ani):
        ani.update_cfg("edge", REPAIR)
        open("pid", "w").write(str(os.getpid()))
        self.wait()
    def wait(self):
        while True:
            time.sleep(0.05)


class HoldsTheLock(Hangs):
    """Hangs in C with the lock of the interpreter."""
    def wait(self):
        (10 ** 8).__pow__(10 ** 8)


class IsTold:
    info = AgentInfo(id="told", strategy="own")
    def run(self, brief, ani):
        ani.update_cfg("edge", REPAIR)
        try:
            while True:
                ani.get_topology()
                time.sleep(0.01)
        except BudgetExhausted as error:
            time.sleep(0.4)
            error.submission = Submission(reasoning="what I have")
            raise
'''


@pytest.mark.parametrize("agent", ["Hangs", "HoldsTheLock"])
def test_an_agent_that_hangs_is_ended_a_second_after_its_time_and_scored_on_what_it_did(bench, agent):
    bench.task("reach")
    (bench.path / "late.py").write_text(TIME)
    run = bench.run(f"--agent=late:{agent}", "--agent=late:IsTold", "--netbench-budget=wall_s=2", timeout=LONG)
    run.assert_outcomes(passed=2)
    hung, told = sorted(bench.results(), key=lambda one: one["agent"]["id"] == "told")
    assert hung["agent_s"] < 3
    assert hung["outcome"] == "budget"
    assert "still busy in its own code" in hung["error"]
    assert not is_running(int((bench.path / "pid").read_text()))
    assert "in wait" in "\n".join(hung["traceback"])
    transcript = json.loads((next(iter((bench.path / ".netbench").glob("2*"))) / told["transcript"]).read_text())
    assert transcript["submission"]["reasoning"] == "what I have"


LEFT = '''
import threading, time
from pytest_netbench.errors import AniError
from pytest_netbench.model.trial import AgentInfo, Submission

class Left:
    """Leaves a thread behind that goes on asking."""
    info = AgentInfo(id="left", strategy="own")
    def run(self, brief, ani):
        def go_on():
            said = "nothing"
            for _ in range(40):
                time.sleep(0.05)
                try:
                    ani.note("late note")
                except AniError as error:
                    said = str(error)
            open("said", "w").write(said)
        if brief.task_name == "one":
            threading.Thread(target=go_on, daemon=True).start()
        else:
            time.sleep(3)
        return Submission()
'''


def test_a_thread_that_is_left_behind_does_not_reach_the_next_trial(bench):
    bench.task("one", task_name="one")
    bench.task("two", task_name="two")
    (bench.path / "left.py").write_text(LEFT)
    bench.run("--agent=left:Left", timeout=LONG)
    assert (bench.path / "said").read_text() == "the trial has ended: no further requests are answered"
    notes = [path.read_text().count("late note") for path in bench.path.glob(".netbench/*/transcripts/two*")]
    assert notes == [0]


def test_the_task_and_its_ground_truth_do_not_reach_the_process_of_an_agent(bench):
    bench.task("reach", ground_truth_reasoning="the-word-of-the-truth")
    code = """
import gc, re
from pytest_netbench.model.trial import AgentInfo, Submission

class Looks:
    info = AgentInfo(id="looks", strategy="own")
    def run(self, brief, ani):
        # the brackets keep the pattern from finding itself
        word = re.compile(rb"the-wor[d]-of-the-trut[h]")
        maps = [line.split()[0].split("-") for line in open("/proc/self/maps") if " rw" in line]
        found = 0
        with open("/proc/self/mem", "rb", 0) as memory:
            for begin, end in maps:
                try:
                    memory.seek(int(begin, 16))
                    found += len(word.findall(memory.read(int(end, 16) - int(begin, 16))))
                except (OSError, OverflowError, ValueError):
                    pass
        kinds = {type(one).__name__ for one in gc.get_objects()}
        names = sorted(kinds & {"Task", "TrialRecord"})
        open("found", "w").write(f"{found} {names}")
        return Submission()
"""
    (bench.path / "looks.py").write_text(code)
    bench.run("--agent=looks:Looks", timeout=LONG)
    assert (bench.path / "found").read_text() == "0 []"
