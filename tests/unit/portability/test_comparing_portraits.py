"""Portraits are compared, kept and shown."""

from __future__ import annotations

import json

import pytest

from pytest_netbench.cli.main import main
from pytest_netbench.portability.comparing import differences
from pytest_netbench.portability.page import page
from pytest_netbench.portability.portrait import Comparison, Difference, Portrait
from pytest_netbench.portability.running import Kept
from pytest_netbench.portability.working import Work, works_of
from pytest_netbench.taskfile import load_task
from tests.support.doc_examples import ROOT

TASK = load_task(ROOT / "tasks/routing/static-floating-backup.task.yaml")


def portrait(backend: str = "netns", **changes) -> Portrait:
    fields = {
        "verdicts": {"a": "pass"},
        "routes": {"R1": {"10.0.0.0/8": ("static", "10.1.0.1")}},
        "flows": {"pc -> 10.1.0.1 icmp": "allowed", "pc -> 10.1.0.2 icmp": "denied"},
        "of": 4,
        "shown": {"R1: show ip route": ("S 10.0.0.0/8", "C 10.1.0.0/24")},
        "versions": {"frr": "8.4.4"},
    }
    return Portrait(backend=backend, **{**fields, **changes})


def comparison(**changes) -> Comparison:
    fields = {
        "task": TASK.slug,
        "digest": TASK.digest,
        "work": "oracle",
        "first": portrait(),
        "second": portrait("other"),
    }
    return Comparison(**{**fields, **changes})


def test_equal_portraits_do_not_differ_and_what_one_side_did_not_measure_is_no_difference():
    assert differences(portrait(), portrait("other", versions={"frr": "10"})) == ()
    assert differences(portrait(), portrait(routes={}, flows={}, shown={})) == ()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"verdicts": {"a": "fail"}}, "verdict a: pass; fail"),
        ({"verdicts": {}}, "verdict a: pass; none"),
        ({"routes": {"R1": {}}}, "route R1 10.0.0.0/8: static 10.1.0.1; none"),
        (
            {"routes": {"R1": {"10.0.0.0/8": ("static", "10.1.0.9")}}},
            "route R1 10.0.0.0/8: static 10.1.0.1; static 10.1.0.9",
        ),
        ({"flows": {"pc -> 10.1.0.1 icmp": "arrives"}}, "flow pc -> 10.1.0.1 icmp: allowed; arrives"),
        ({"shown": {"R1: show ip route": ("S 10.0.0.0/8",)}}, "show R1: show ip route: C 10.1.0.0/24; none"),
    ],
)
def test_each_difference_is_named_with_both_sides(changes, words):
    assert [str(one) for one in differences(portrait(), portrait("other", **changes))] == [words]


def test_what_is_kept_is_found_for_the_task_as_it_is_and_nothing_else(tmp_path):
    kept, work = Kept(tmp_path / "new"), Work(name="oracle")
    assert kept.load(TASK, work, "netns", "other") is None
    found = comparison(differences=(Difference(kind="flow", where="x", first="allowed", second="denied"),))
    kept.save(found, "netns", "other")
    assert kept.load(TASK, work, "netns", "other") == found
    assert kept.load(TASK, Work(name="nop"), "netns", "other") is None
    assert kept.load(TASK, work, "other", "netns") is None
    assert [*kept.all()] == [found]
    (file,) = (tmp_path / "new").rglob("*.json")
    file.write_text(file.read_text()[:-20])
    assert kept.load(TASK, work, "netns", "other") is None
    assert [*kept.all()] == []


def test_of_a_task_that_changed_the_newest_comparison_counts(tmp_path):
    kept = Kept(tmp_path)
    for digest, day in (("f" * 64, "2026-11-01"), ("0" * 64, "2026-11-03"), ("a" * 64, "2026-11-02")):
        kept.save(comparison(digest=digest, ended_at=f"{day}T10:00:00+00:00"), "netns", "other")
    kept.save(comparison(work="nop"), "netns", "other")
    assert sorted((one.work, one.ended_at[:10]) for one in kept.all()) == [("nop", ""), ("oracle", "2026-11-03")]


def test_the_page_has_the_share_that_was_run_versions_images_counts_and_reasons():
    second = portrait(
        "other",
        images={"frr": "frr:10"},
        deployers={"maker": "2.1", "engine": "20"},
        flows={"pc -> 10.1.0.1 icmp": "allowed"},
    )
    one = Difference(kind="verdict", where="a | b", first="pass", second="fail")
    differing = comparison(second=second, differences=(one,), passing=(one, one), ended_at="2026-11-29T10:00:00+00:00")
    same = comparison(work="nop", second=second, ended_at="2026-11-30T10:00:00+00:00")
    lacking = [
        comparison(task=task, work=work, second=Portrait(backend="other", lack="no cables | here"))
        for task in ("t1", "t2")
        for work in ("oracle", "nop")
    ]
    text = page([differing, same, *lacking])
    assert "## netns and other" in text
    assert (
        "Run: 1 of 3 tasks, 2 works, 2026-11-29 to 2026-11-30. 1 of these have no difference, and 2 of 8 of the"
        " recorded flows were compared."
    ) in text
    assert "- `netns`: frr 8.4.4\n" in text
    assert "- `other`: engine 20, maker 2.1, frr 8.4.4, frr from `frr:10`\n" in text
    assert f"| {TASK.slug} | oracle | 25% of 4 | 1 | 0 | 0 | 0 | 2 |\n" in text
    assert f"| {TASK.slug} | nop | 25% of 4 | 0 | 0 | 0 | 0 | 0 |\n" in text
    assert "- `verdict a | b: pass; fail`" in text
    assert "### Not run\n\n- no cables \\| here: 2 tasks (t1, t2)\n" in text
    assert "| t1 |" not in text


def test_a_page_of_tasks_of_which_none_was_run_says_so():
    text = page([comparison(second=Portrait(backend="other", lack="no cables"))])
    assert "Run: 0 of 1 tasks, 0 works. 0 of these have no difference, and none of the recorded flows" in text
    assert "| task |" not in text


def test_works_are_the_truth_nothing_and_solutions_in_turns():
    from pytest_netbench.cli.validate import recorded_solutions

    path = ROOT / "tasks/routing/static-floating-backup.task.yaml"
    names = [one.name.partition(":")[0] for one in works_of(TASK, recorded_solutions(path, TASK), most=3)]
    assert names == ["oracle", "nop", "right", "wrong", "right"]
    assert [one.name for one in works_of(TASK, None, most=3)] == ["oracle", "nop"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--against", "netn"], "unknown backend 'netn'"),
        (["--against", "netns", "--solutions", "-1"], "--solutions -1: expected 0 or more"),
    ],
)
def test_bad_arguments_are_refused(arguments, words, capsys):
    assert main(["portability", str(ROOT / "tasks/routing/static-floating-backup.task.yaml"), *arguments]) == 2
    assert words in capsys.readouterr().err


def test_what_is_kept_is_told_again_without_a_lab(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = ROOT / "tasks/routing/static-floating-backup.task.yaml"
    kept = Kept(tmp_path / "kept")
    kept.save(comparison(), "netns", "netns")
    kept.save(comparison(work="nop"), "netns", "netns")
    arguments = ["--against", "netns", "--solutions", "0", "--results", "kept", "--page", "page.md"]
    assert main(["portability", str(path), *arguments]) == 0
    out = capsys.readouterr().out
    assert f"{path}: oracle: no difference (50% of 4 flows compared)\n" in out
    assert f"{path}: nop: no difference (50% of 4 flows compared)\n" in out
    assert (tmp_path / "page.md").read_text().startswith("# Two backends compared\n")
    (file,) = (tmp_path / "kept").rglob("oracle.json")
    told = json.loads(file.read_text()) | {"differences": [{"kind": "flow", "where": "x", "first": "a", "second": ""}]}
    file.write_text(json.dumps(told))
    assert main(["portability", str(path), *arguments]) == 1
    assert f"{path}:   flow x: a; none\n" in capsys.readouterr().out


def test_what_was_missing_is_looked_for_again_before_anything_is_deployed(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    path = ROOT / "tasks/routing/static-floating-backup.task.yaml"
    kept = Kept(tmp_path / "kept")
    kept.save(comparison(second=Portrait(backend="containerlab", lack="no cables")), "netns", "containerlab")
    arguments = ["--against", "containerlab", "--solutions", "0", "--results", "kept"]
    assert main(["portability", str(path), *arguments]) == 0
    out, err = capsys.readouterr()
    assert "no cables" not in out
    assert f"{path}: oracle: not on containerlab: backend containerlab cannot run here" in out
    assert f"{path}: nop: not on containerlab" in out
    assert "on netns" not in err
