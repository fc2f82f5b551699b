"""``--netbench-otel``: spans of a run at a collector or in a file, and a collector that is away."""

from __future__ import annotations

import socket

import pytest

from tests.support.collector import Collector, attributes, read_file, spans_in


def test_the_spans_of_a_run_are_sent_with_one_trace_for_each_trial(bench, workers, monkeypatch):
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20secret")
    bench.task("reach")
    with Collector() as collector:
        options = (
            f"--netbench-otel={collector.url}",
            "--agent=oracle",
            "--agent=mine:Half",
            "--agent=mine:NotPrepared",
        )
        ended = bench.run(*options, *workers, timeout=240)
    assert ended.ret == 1
    ended.stdout.fnmatch_lines([f"spans of 3 trials: {collector.url}"])
    assert collector.headers[0]["authorization"] == "Bearer secret"
    roots = {attributes(span)["netbench.agent"]: span for span in collector.spans if not span.parent_span_id}
    assert {name: attributes(span)["netbench.status"] for name, span in roots.items()} == {
        "oracle": "passed",
        "mine.Half": "failed",
        "mine.NotPrepared": "error",
    }
    assert len({span.trace_id for span in roots.values()}) == 3
    error = [span for span in collector.spans if span.trace_id == roots["mine.NotPrepared"].trace_id]
    assert [attributes(span)["error.type"] for span in error] == ["infrastructure"]
    assert not error[0].status.message, "what a provider says is content"
    names = {span.name for span in collector.spans}
    assert names >= {"deploy", "evaluate", "invoke_agent oracle", "execute_tool update_cfg"}


@pytest.mark.parametrize(("status", "why"), [(0, "ConnectionError"), (401, "Unauthorized")])
def test_a_collector_that_is_away_or_refuses_changes_no_exit_status(bench, status, why):
    bench.task("reach")
    with Collector(status=status) as collector, socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = collector.url if status else f"http://user:word@127.0.0.1:{closed.getsockname()[1]}"
        ended = bench.run("--agent=oracle", f"--netbench-otel={url}", "-q")
    assert ended.ret == 0
    (line,) = [line for line in ended.outlines if line.startswith("warning: http://127.0.0.1:")]
    assert "the collector took the spans of 0 of 1 trials: " in line
    assert why in line
    assert "user:word" not in ended.stdout.str() + ended.stderr.str()
    assert "Traceback" not in ended.stdout.str() + ended.stderr.str()


def test_spans_are_written_to_a_file_with_content_if_that_is_asked_for(bench):
    bench.task("reach")
    ended = bench.run("--agent=mine:Half", "--netbench-otel=spans.jsonl", "--netbench-otel-content")
    ended.stdout.fnmatch_lines(["spans of 1 trials: spans.jsonl"])
    found = [attributes(span) for span in spans_in(read_file(bench.path / "spans.jsonl"))]
    assert any("no deny tcp 80 any" in one.get("gen_ai.tool.call.arguments", "") for one in found)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--agent=oracle", "--netbench-otel=none/x.jsonl"], "*--netbench-otel: *no such folder*"),
        (["--agent=oracle", "--netbench-otel=http://"], "*--netbench-otel: *no host in this URL*"),
        (["--netbench-selftest", "--netbench-otel=x.jsonl"], "*a self-test has no trials*"),
        (["--netbench-otel=x.jsonl"], "*--netbench-otel is about an agent: give --agent, too*"),
    ],
)
def test_what_cannot_be_is_said_before_the_run(bench, options, words):
    bench.task("reach")
    ended = bench.run(*options)
    assert ended.ret == 4
    ended.stderr.fnmatch_lines([words])


def test_without_the_extra_it_is_named(bench):
    bench.task("reach")
    (bench.path / "conftest.py").write_text("import sys\nsys.modules['opentelemetry.sdk'] = None\n")
    ended = bench.run("--agent=oracle", "--netbench-otel=x.jsonl", "--rootdir=.", "--confcutdir=.")
    assert ended.ret == 4
    ended.stderr.fnmatch_lines(["*fix: pip install 'pytest-netbench[[]otel]'*"])
