from __future__ import annotations

import json

import pytest
import yaml


def test_a_task_is_an_item_named_after_its_file_and_agent(bench):
    bench.task("reach")
    result = bench.run("--agent=oracle", "--collect-only", "-q")
    result.stdout.fnmatch_lines(["tasks/access/reach.task.yaml::reach[[]oracle[]]", "*1 test collected*"])
    assert result.ret == 0


def test_agents_repeat_and_trials_beyond_one_are_numbered(bench):
    bench.task("reach")
    result = bench.run("--agent=oracle", "--agent=nop", "--netbench-trials=2", "--collect-only", "-q")
    names = [line.partition("::")[2] for line in result.outlines if "::" in line]
    assert names == ["reach[oracle]", "reach[oracle-2]", "reach[nop]", "reach[nop-2]"]


@pytest.mark.parametrize("suffix", ["yaml", "yml", "json"])
def test_all_three_suffixes_are_collected(bench, suffix):
    import json

    import yaml

    path = bench.task("reach")
    fields = yaml.safe_load(path.read_text())
    path.unlink()
    path.with_suffix(f".{suffix}").write_text(json.dumps(fields))
    result = bench.run("--agent=oracle", "--collect-only", "-q")
    result.stdout.fnmatch_lines([f"tasks/access/reach.task.{suffix}::reach*"])


def test_a_draft_file_without_our_suffix_is_collected_if_it_is_named(bench, workers):
    path = bench.task("reach")
    draft = bench.path / "drafts" / "reach.json"
    draft.parent.mkdir()
    draft.write_text(json.dumps(yaml.safe_load(path.read_text())))
    (bench.path / "drafts" / "other.json").write_text('{"name": "no task"}')
    bench.pytester.runpytest_subprocess("drafts", "--agent=oracle").assert_outcomes()
    named = bench.pytester.runpytest_subprocess("drafts/reach.json", "--agent=oracle", "-v", *workers)
    named.assert_outcomes(passed=1)
    named.stdout.fnmatch_lines(["*drafts/reach.json::reach[[]oracle[]]*"])
    bench.pytester.runpytest_subprocess("drafts/other.json", "--agent=oracle").assert_outcomes()


def test_k_selects_by_domain_and_tag(bench):
    bench.task("reach")
    bench.task("other", domain="routing", tags=["bgp"])
    for word, expected in (("access", "reach"), ("bgp", "other"), ("routing", "other")):
        result = bench.run("--agent=oracle", "--collect-only", "-q", "-k", word)
        assert [line for line in result.outlines if "::" in line] == [
            f"tasks/{'access' if expected == 'reach' else 'routing'}/{expected}.task.yaml::{expected}[oracle]"
        ]


def chosen(bench, *arguments):
    ended = bench.run("--collect-only", "-q", *arguments, timeout=200)
    return [line.rpartition("::")[2] for line in ended.outlines if "::" in line]


def test_agents_take_no_part_in_k(bench, workers):
    bench.task("reach")
    bench.task("wall", domain="security", tags=["acl", "edge"])
    bench.task("destination", tags=["ospf"])
    both = ("--agent=oracle", "--agent=nop", "--netbench-trials=2")
    every = ["wall[oracle]", "wall[oracle-2]", "wall[nop]", "wall[nop-2]"]
    for word, expected in (
        ("acl", every),
        ("oracle", []),
        ("nop or edge", every),
        ("security and not reach", every),
        ("not (reach or destination) and not oracle", every),
        ("WALL", every),
        ("nat and not acl", ["destination[oracle]", "destination[oracle-2]", "destination[nop]", "destination[nop-2]"]),
        ("2", []),
    ):
        assert chosen(bench, *both, "-k", word) == expected, word
    ended = bench.run("--agent=oracle", "--agent=nop", "-k", "acl", *workers, timeout=200)
    ended.assert_outcomes(passed=1, failed=1)
    again = bench.run("--agent=oracle", "--agent=nop", "-k", "acl or reach", "--lf", *workers, timeout=200)
    again.assert_outcomes(failed=1)
    by_id = "tasks/security/wall.task.yaml::wall[nop]"
    one = bench.pytester.runpytest_subprocess(by_id, "--agent=oracle", "--agent=nop", "-k", "acl", "-v", timeout=200)
    one.assert_outcomes(failed=1)
    one.stdout.fnmatch_lines([f"{by_id.replace('[', '[[]')} FAILED*"])
    assert chosen(bench, *both, "-k", "acl", f"--deselect={by_id}") == ["wall[oracle]", "wall[oracle-2]", "wall[nop-2]"]


def test_k_selects_other_tests_as_ever_and_hooks_see_the_names_with_the_agent(bench):
    bench.task("wall", tags=["acl"])
    (bench.path / "tasks" / "test_other.py").write_text("def test_acl(): ...\n\n\ndef test_more(): ...\n")
    (bench.path / "conftest.py").write_text(
        "import pytest\n\n\ndef pytest_collection_modifyitems(config, items):\n"
        "    print([item.name for item in items], config.option.keyword)\n"
        "    items[0].add_marker(pytest.mark.slow)\n\n\n"
        "def pytest_configure(config):\n    config.addinivalue_line('markers', 'slow: x')\n"
    )
    ended = bench.run("--agent=oracle", "-k", "acl", "-m", "not slow", "--collect-only", "-q", timeout=200)
    ended.stdout.fnmatch_lines(["*'wall[[]oracle[]]', 'test_acl', 'test_more'*"])
    assert [line for line in ended.outlines if "::" in line] == ["tasks/test_other.py::test_acl"]
    assert bench.run("--agent=oracle", "-k", "acl and", timeout=200).ret == 4


def test_m_selects_whole_words(bench):
    bench.task("wall", domain="security", tags=["acl", "nat"], difficulty="hard")
    bench.task("destination", tags=["natural"])
    both = ("--agent=oracle", "--agent=nop", "--netbench-trials=2")
    for expression, expected in (
        ("netbench(tag='nat', agent='nop', trial=1)", ["wall[nop]"]),
        ("netbench(tag='acl') and netbench(tag='nat', domain='security', trial=2)", ["wall[oracle-2]", "wall[nop-2]"]),
        ("netbench(tag='natural', agent='oracle', task='destination', trial=2)", ["destination[oracle-2]"]),
        ("netbench(difficulty='hard', family='configure', agent='nop', trial=2)", ["wall[nop-2]"]),
        ("netbench(tag='na')", []),
        ("netbench(agent='orac')", []),
    ):
        assert chosen(bench, *both, "-m", expression) == expected, expression


def test_m_selects_by_family_domain_and_difficulty(bench):
    bench.task("reach")
    bench.task("other", domain="routing", difficulty="hard")
    for expression, count in (
        ("netbench(family='configure')", 2),
        ("netbench(domain='routing')", 1),
        ("netbench(difficulty='hard', platform='memory')", 1),
        ("netbench(name='reach')", 1),
        ("netbench(family='repair')", 0),
    ):
        result = bench.run("--agent=oracle", "--collect-only", "-q", "-m", expression)
        assert sum("::" in line for line in result.outlines) == count, expression


def test_one_item_runs_by_its_node_id(bench):
    bench.task("reach")
    bench.task("other")
    result = bench.pytester.runpytest_subprocess("tasks/access/reach.task.yaml::reach[oracle]", "--agent=oracle")
    result.assert_outcomes(passed=1)


def test_without_an_agent_tasks_are_skipped_with_one_line_that_says_how_to_give_one(bench, workers):
    bench.task("reach")
    bench.task("other", domain="routing")
    result = bench.run(*workers)
    result.assert_outcomes(skipped=2)
    told = [line for line in result.outlines if "--agent=oracle" in line]
    assert told == [
        "netbench: 2 tasks skipped: no agent was given: choose one with --agent=oracle, --agent=MODEL or --agent=FILE"
    ]
    assert result.ret == 0
    assert not (bench.path / ".netbench").exists()


def test_a_listing_of_skips_has_one_line_for_all_tasks(bench):
    bench.task("reach")
    bench.task("other", domain="routing")
    result = bench.run("-ra")
    told = [line for line in result.outlines if "--agent=oracle" in line]
    assert len(told) == 1
    assert told[0].startswith("SKIPPED [2] tasks")


def test_a_bad_task_file_is_one_error_with_its_text_and_the_others_run(bench, workers):
    bench.task("reach")
    bench.task("bad", topology={"nodes": ["branch"], "links": ["branch e0 <-> nowhere e0"]}, ground_truth_configs={})
    result = bench.run("--agent=oracle", *workers)
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["tasks/access/bad.task.yaml:*unknown node 'nowhere'*"])
    result.stdout.fnmatch_lines(["ERROR tasks/access/bad.task.yaml::bad - tasks/access/bad.task.yaml:*"])
    result.stdout.no_fnmatch_line("*Traceback*")
    result.stdout.no_fnmatch_line("*fixtures.py*")
    assert result.ret == 1


def test_a_bad_task_file_is_an_error_even_without_an_agent(bench):
    bench.task("bad", testcases=[{"kind": "show"}])
    bench.run().assert_outcomes(errors=1)


def test_a_task_that_needs_what_the_machine_lacks_is_skipped_with_the_remedy(bench, workers):
    bench.task("reach")
    bench.task("exotic", requirements=["unobtainium"])
    result = bench.run("--agent=oracle", "-rs", *workers)
    result.assert_outcomes(passed=1, skipped=1)
    result.stdout.fnmatch_lines(
        ["SKIPPED*tasks/access/exotic.task.yaml*: the kernel has no unobtainium (fix: modprobe unobtainium)"]
    )
    assert [lab["slug"] for lab in bench.labs()] == ["reach"]


def test_why_tasks_are_skipped_is_said_without_being_asked_for(bench, workers):
    bench.task("exotic", requirements=["unobtainium"])
    bench.task("rare", requirements=["unobtainium"])
    told = [
        line for line in bench.run("--agent=oracle", *workers).outlines if line.startswith("netbench: 2 tasks skipped")
    ]
    assert len(told) == 1
    assert "unobtainium" in told[0]


def test_only_the_netbench_mark_is_used(bench):
    bench.task("reach")
    result = bench.run("--markers")
    result.stdout.fnmatch_lines(
        ["@pytest.mark.netbench(task, tag, domain, family, difficulty, platform, label, level, agent, trial):*"]
    )


def test_fixtures_can_be_overridden_in_a_conftest(bench):
    bench.task("reach")
    (bench.path / "conftest.py").write_text(
        "import pytest\n"
        "@pytest.fixture\n"
        "def lab(lab):\n"
        "    lab.nodes['edge'].lines.append('route 10.9.0.0/16 via 10.0.2.10')\n"
        "    return lab\n"
        "@pytest.fixture\n"
        "def agent():\n"
        "    import mine\n"
        "    return mine.Half()\n"
    )
    bench.run("--agent=nop").assert_outcomes(passed=1)


def test_a_test_of_ones_own_may_use_a_lab(bench):
    path = bench.task("reach")
    (bench.path / "tasks" / "test_mine.py").write_text(
        "import pytest\n"
        "from pathlib import Path\n"
        "from pytest_netbench.taskfile import load_task\n"
        "@pytest.fixture\n"
        "def task():\n"
        f"    return load_task(Path({str(path)!r}))\n"
        "def test_topology(lab):\n"
        "    assert set(lab.nodes) == {'branch', 'edge', 'web'}\n"
        "def test_without_override(request):\n"
        "    assert request.node.name\n"
    )
    result = bench.pytester.runpytest_subprocess("tasks/test_mine.py")
    result.assert_outcomes(passed=2)
    assert len(bench.labs("destroy")) == 1


def test_the_task_fixture_says_where_it_belongs(bench):
    bench.task("reach")
    (bench.path / "tasks" / "test_mine.py").write_text("def test_it(lab): pass\n")
    result = bench.pytester.runpytest_subprocess("tasks/test_mine.py")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*the fixture 'task' belongs to items of task files*"])


def test_a_task_of_a_family_that_is_not_installed_is_an_error_before_any_lab(bench):
    bench.task("reach", family="mediate")
    result = bench.run("--agent=oracle")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*reach.task.yaml:*: unknown family 'mediate' (known: 'configure', *"])
    assert not bench.labs()
