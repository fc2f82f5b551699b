"""``--netbench-ray`` where there is no cluster: what it does not go with, and a machine without Ray."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

FAKE = """
raise AssertionError("ray was imported")
"""


@pytest.fixture
def with_ray(bench):
    """A module of this name is there; whoever imports it fails."""
    (bench.path / "site/ray.py").write_text(FAKE)
    return bench


@pytest.mark.skipif(find_spec("ray") is not None, reason="ray is installed here")
def test_without_ray_the_option_names_the_extra(bench) -> None:
    bench.task()
    result = bench.run("--agent=oracle", "--netbench-ray=local")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--netbench-ray: ray is not installed (fix: pip install 'pytest-netbench[[]ray]')"])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--agent=oracle", "-n2"), "the cluster distributes the trials: leave -n out"),
        (
            ("--agent=oracle", "--pdb"),
            "a debugger needs trials in this process: leave --pdb and --trace out, or the cluster",
        ),
        (("--agent=oracle", "--trace"), "a debugger needs trials in this process*"),
        (("--agent=oracle", "--netbench-keep"), "labs of a cluster end with their trials: leave --netbench-keep out"),
        (("--netbench-selftest",), "self-tests run on this machine: leave one of them out"),
        ((), "trials need an agent: give --agent, too"),
    ],
    ids=lambda one: one[-1] if isinstance(one, tuple) and one else None,
)
def test_what_does_not_go_with_a_cluster_is_refused_before_ray_is_imported(with_ray, options, words) -> None:
    with_ray.task()
    result = with_ray.run("--netbench-ray=local", *options)
    assert result.ret == pytest.ExitCode.USAGE_ERROR, result.stdout.str()
    result.stderr.fnmatch_lines([f"*--netbench-ray: {words}"])
    assert "ray was imported" not in result.stderr.str() + result.stdout.str()
    assert not with_ray.labs()


@pytest.mark.parametrize(
    ("option", "words"),
    [
        (
            "--netbench-ray=ray://head:10001",
            "*run pytest on a node of it (`ray job submit`), with --netbench-ray=auto*",
        ),
        ("--netbench-ray=head", "*'head' is not HOST:PORT of a Ray cluster, auto or local*"),
        ("--netbench-ray-trials=0", "*'0' is not a whole number from 1 to 10000*"),
        (
            "--netbench-ray-workers=2",
            "*--netbench-ray-workers is about a Ray cluster: give --netbench-ray=ADDRESS, too*",
        ),
    ],
)
def test_addresses_and_numbers_are_checked(bench, option, words) -> None:
    bench.task()
    result = bench.run("--agent=oracle", option)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([words])


def test_collecting_needs_no_cluster(with_ray) -> None:
    with_ray.task()
    result = with_ray.run("--agent=oracle", "--netbench-ray=local", "--collect-only", "-q")
    assert result.ret == pytest.ExitCode.OK, result.stderr.str()
    result.stdout.fnmatch_lines(["tasks/access/reach.task.*[[]oracle]"])
