"""The budget of a run: what is spent, what is cut off, and what is not run."""

from __future__ import annotations

from tests.support.openai_server import Calls, OpenAIServer, Text

FILE = """\
model: openai/priced
strategy: react
price: {input_per_token: 0.001, output_per_token: 0.01}
"""
COST = 100 * 0.001 + 10 * 0.01
AGENT = "--agent=agents/priced.agent.yaml"


def looks_and_ends(request):
    """Two calls of a tool, then the end."""
    asked = sum(one["role"] == "tool" for one in request["messages"])
    return Calls(("get-topology", {})) if asked < 2 else Text("task done")


def prepared(bench, monkeypatch, server):
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    (bench.path / "agents").mkdir()
    (bench.path / "agents" / "priced.agent.yaml").write_text(FILE)
    for number in range(6):
        bench.task(f"t{number}", task_name=f"t{number}")


def test_a_run_stops_at_its_budget_and_says_what_is_left(bench, monkeypatch):
    with OpenAIServer(looks_and_ends) as server:
        prepared(bench, monkeypatch, server)
        options = ("--netbench-max-cost=1", "--netbench-results=run", "-n2")
        stopped = bench.run(AGENT, *options, timeout=200)
        assert stopped.ret == 1
        spent = len(server.requests) * COST
        assert 1 <= spent <= 1 + 2 * COST + 1e-9, "overspent by at most one call per worker"
        stopped.stdout.fnmatch_lines(
            [
                "netbench: the run spent * USD and * tokens",
                "netbench: the budget of 1 USD is used up: * trials were not run. Go on with --netbench-resume=run",
            ]
        )
        counts = stopped.parseoutcomes()
        assert counts["skipped"] >= 2
        assert sum(counts.get(kind, 0) for kind in ("failed", "error", "errors", "skipped")) == 6
        # a trial that was cut off has no score, and would be run again
        cut = [one for one in bench.results("run") if "was cut off" in (one["error"] or "")]
        assert {one["status"] for one in cut} <= {"error"}


def test_time_is_limited_too_and_wrong_limits_are_refused(bench, monkeypatch):
    with OpenAIServer(looks_and_ends) as server:
        prepared(bench, monkeypatch, server)
        late = bench.run(AGENT, "--netbench-max-time=0.01s")
        late.assert_outcomes(skipped=6)
        assert late.ret == 1
        late.stdout.fnmatch_lines(["netbench: the budget of 0.01 s is used up: 6 trials were not run*"])
        assert not server.requests
    refused = bench.run(AGENT, "--netbench-max-time=soon")
    assert refused.ret == 4
    refused.stderr.fnmatch_lines(["*'soon' is not a time above 0, e.g. 90s, 15m or 2h*"])


def test_what_a_run_will_cost_is_told_before_it_begins(bench, monkeypatch, workers):
    with OpenAIServer(looks_and_ends) as server:
        prepared(bench, monkeypatch, server)
        unknown = "netbench: priced, 2 trials: no earlier run tells what it costs; --netbench-max-cost limits it"
        first = bench.run(AGENT, "--agent=nop", "-k", "t0 or t1", *workers, timeout=200)
        first.stdout.fnmatch_lines([unknown])
        first.stdout.no_fnmatch_line("netbench: nop, *")
        # each trial asks three times, and once more to condense its reasoning
        each = len(server.requests) / 2
        costs = f"about {each * 110 * 6:,.0f} tokens, {each * COST * 6:.2f} USD (as in 2 earlier ones)"
        listed = bench.run(AGENT, "--collect-only", "--netbench-max-cost=2")
        listed.stdout.fnmatch_lines([f"netbench: priced, 6 trials: {costs}; the budget of 2 USD will not be enough"])
        bench.run(AGENT, "--collect-only", "-q").stdout.no_fnmatch_line("netbench: priced, *")
