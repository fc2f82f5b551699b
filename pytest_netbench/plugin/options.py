"""Command-line options, and the checks of their values that need nothing but the value."""

from __future__ import annotations

import argparse
import math
from typing import TYPE_CHECKING

from pytest_netbench.plugin.scheduling import ray_options
from pytest_netbench.plugin.selection import shard_options

if TYPE_CHECKING:
    import pytest

LIMITS = ("calls", "commands", "wall", "tokens", "lab")
_DURATIONS = ("wall", "lab")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the group ``netbench``."""
    group = parser.getgroup("netbench", "benchmark AI agents on real networks (pytest-netbench)")
    group.addoption(
        "--agent",
        action="append",
        default=[],
        dest="netbench_agents",
        metavar="AGENT",
        help=(
            "the agent to evaluate: oracle, nop, replay:DIR, an agent file or its name, module:Class, or a model"
            " (openai/gpt-4o: react on that model). Repeat it for a matrix. Without it, tasks are skipped."
        ),
    )
    group.addoption(
        "--netbench-generate",
        action="append",
        default=[],
        metavar="NAME:PARAMETER=VALUE,…",
        help=(
            "draw tasks by a generator, e.g. repair-routing:n=200,level=1-3,seed=7, instead of reading files; may be"
            " repeated. `netbench generate --list` lists generators and their parameters."
        ),
    )
    group.addoption(
        "--netbench-adversarial",
        metavar="DIR",
        help=(
            "search for failures: continue each series of --netbench-generate with draws that are like those that the"
            " agent failed, by the results in DIR."
        ),
    )
    group.addoption(
        "--netbench-unproven",
        action="store_true",
        help="use drawn tasks without proving first that they can be solved and are not vacuous.",
    )
    group.addoption(
        "--netbench-variant",
        type=_whole,
        metavar="SEED",
        help=(
            "run the tasks of files under other names, addresses and numbers, drawn by the seed; what is asked stays"
            " the same."
        ),
    )
    group.addoption(
        "--netbench-progress",
        choices=("auto", "on", "off"),
        default="auto",
        help=(
            "show what is running, for how long, at what cost and what is left, in a line below pytest's output"
            " (default: auto, on a terminal without -q, -s and --pdb, and not in CI)."
        ),
    )
    group.addoption(
        "--netbench-key",
        metavar="FILE",
        help="file with the key of sealed tasks (default: the key in the environment variable NETBENCH_KEY, if any).",
    )
    group.addoption(
        "--netbench-backend",
        action="append",
        default=[],
        metavar="NAME",
        help=(
            "the backend that deploys labs, or sandboxes for programs of agents; may be given once for each of the two"
            " (default: netns, rootless namespaces on this machine)."
        ),
    )
    group.addoption(
        "--netbench-lab",
        metavar="NAME|FILE",
        help=(
            "a lab that runs already, by its name or topology file, is used instead of new ones and put back as it was"
            " after each trial; with --netbench-backend=containerlab or gns3."
        ),
    )
    group.addoption(
        "--netbench-kube-assets",
        metavar="DIR",
        help=(
            "folder of etcd, kube-apiserver, kube-controller-manager, kube-scheduler and kubectl (default: that which"
            " KUBEBUILDER_ASSETS names, the installation of `netbench kube install`, or the PATH)."
        ),
    )
    group.addoption(
        "--netbench-time-scale",
        type=_time_scale,
        metavar="N",
        help=(
            "lab seconds per wall second for protocol timers, 0 < N <= 100 (default: the backend chooses from the"
            " number of nodes and cores; a task file may set its own)."
        ),
    )
    group.addoption(
        "--netbench-clock",
        choices=("scaled", "events", "calls", "wall"),
        default="events",
        help=(
            "how lab time passes: by events while a verdict waits, where the network allows it and no time scale is"
            " given, and at the time scale else (events, the default); always at the time scale (scaled); only during"
            " an agent's requests, each of which takes a stated time (calls; not for configure tasks, which have scaled"
            " then; hard draws have it by default); like the wall (wall, the same as a time scale of 1)."
        ),
    )
    group.addoption(
        "--netbench-keep",
        action="store_true",
        default=None,
        help=(
            "leave the labs of trials that do not pass, and print how to enter them; `netbench clean --kept` removes"
            " them. Labs of backends that end with their process stay until Enter or Ctrl-C is pressed."
        ),
    )
    group.addoption(
        "--netbench-trials",
        type=_count,
        default=1,
        metavar="N",
        help="attempts per task and agent, each a separate item on a fresh lab (default: 1).",
    )
    group.addoption(
        "--netbench-budget",
        type=budget,
        default={},
        metavar="LIMIT=N,…",
        help=(
            f"limits instead of the task's and the agent's, e.g. calls=50,wall=10m; limits are {', '.join(LIMITS)};"
            " 'none' lifts one."
        ),
    )
    group.addoption(
        "--netbench-scorer",
        action="append",
        dest="netbench_scorers",
        default=[],
        metavar="NAME",
        help="an additional scorer by its entry point name; may be repeated.",
    )
    group.addoption(
        "--netbench-ssh",
        action="store_true",
        help=(
            "offer SSH to each device of a lab on a loopback port while the agent works; the agent's brief has the "
            "logins (in an agent file: `access: ssh`)."
        ),
    )
    group.addoption(
        "--netbench-results",
        metavar="DIR",
        help="directory for results and transcripts (default: .netbench/<UTC time> under the rootdir).",
    )
    group.addoption(
        "--netbench-resume",
        metavar="DIR",
        help=(
            "go on with the run whose results are in DIR: only trials that are missing there, or ended in an"
            " infrastructure error, are run."
        ),
    )
    shard_options.add_options(group)
    ray_options.add_options(group)
    group.addoption(
        "--netbench-selftest",
        action="store_true",
        help=(
            "test the tasks instead of an agent: each must be solvable and not vacuous, and the running configs that"
            " the ground truth leaves are recorded."
        ),
    )
    group.addoption(
        "--netbench-selftest-repeats",
        type=_count,
        default=3,
        metavar="N",
        help="how often the self-test repeats its measurements, whose results must be equal (default: 3).",
    )
    _add_extent(group)
    _add_gate(group)
    _add_run_budget(group)
    _add_cassettes(group)
    parser.addini("netbench_policy", "policy of the gate: a YAML or JSON file, relative to the rootdir", default="")
    parser.addini(
        "netbench_junit_properties",
        "add properties to test cases in JUnit XML; schemas of some readers forbid them there (default: true)",
        type="bool",
        default=True,
    )


def _add_run_budget(group: pytest.OptionGroup) -> None:
    """Add the limits of a whole run."""
    group.addoption(
        "--netbench-max-cost",
        type=_amount,
        metavar="USD",
        help=(
            "US dollars that all trials of the run may spend on models together; past it no model is asked and no trial"
            " begins."
        ),
    )
    group.addoption(
        "--netbench-max-tokens",
        type=_count,
        metavar="N",
        help="tokens of prompts and completions that all trials of the run may use together.",
    )
    group.addoption(
        "--netbench-max-time",
        type=duration,
        metavar="TIME",
        help="wall time after which no trial begins, e.g. 90s, 15m or 2h; trials that run are finished.",
    )


def _add_cassettes(group: pytest.OptionGroup) -> None:
    """Add the options that record and replay what models answer."""
    group.addoption(
        "--netbench-record",
        metavar="DIR",
        help="keep what models answer as cassettes in DIR, one for each trial, without keys; for --netbench-replay.",
    )
    group.addoption(
        "--netbench-replay",
        metavar="DIR",
        help=(
            "let agents work with the recorded answers in DIR: no model is asked, no key and no litellm is needed. A"
            " request that was not recorded is an error, and its trial is not scored."
        ),
    )
    group.addoption(
        "--netbench-replay-pace",
        type=_pace,
        metavar="X",
        help="how long a replayed answer takes, in multiples of what the model took; 0 is at once (default: 1).",
    )


def _add_gate(group: pytest.OptionGroup) -> None:
    """Add the options that compare a run with another one."""
    group.addoption(
        "--netbench-save-baseline",
        metavar="FILE",
        help="write the scored trials of this run to FILE, for --netbench-baseline of later runs.",
    )
    group.addoption(
        "--netbench-baseline",
        metavar="FILE",
        help=(
            "compare this run with the one that FILE was saved from. The exit status is 0 if no agent has become worse,"
            " however many trials failed; 10 if one has, or the policy is not met; 11 if too many trials ended in an"
            " infrastructure error."
        ),
    )
    group.addoption(
        "--netbench-policy",
        metavar="FILE",
        help="which loss is accepted, and what must pass (default: netbench_policy of the ini file, else 0.02).",
    )
    group.addoption(
        "--netbench-markdown",
        metavar="FILE",
        help="append the verdicts to FILE in Markdown, e.g. --netbench-markdown=$GITHUB_STEP_SUMMARY.",
    )
    group.addoption(
        "--netbench-html",
        metavar="FILE",
        help=(
            "write one HTML page of all trials in the results directory to FILE when the run has ended; details that"
            " it has no room for go to the folder NAME-trials beside it."
        ),
    )
    group.addoption(
        "--netbench-ctrf",
        metavar="FILE",
        help="write a report of all items in the Common Test Report Format (ctrf.io, JSON) to FILE, with scores.",
    )
    group.addoption(
        "--netbench-otel",
        metavar="FILE|URL",
        help=(
            "export the spans of all trials in the results directory when the run has ended: to FILE as JSON lines of"
            " OTLP, or to the collector at URL, e.g. http://127.0.0.1:4318."
        ),
    )
    group.addoption(
        "--netbench-otel-content",
        action="store_true",
        help="add what was said to models and devices, and what they answered, to the spans.",
    )


def _add_extent(group: pytest.OptionGroup) -> None:
    """Add the options that say how much of a task the self-test proves."""
    group.addoption(
        "--netbench-selftest-claims",
        type=_names,
        metavar="CLAIM,…",
        help=(
            "the claims that the self-test measures: oracle, nop, omissions, solutions, mutants (default: all but"
            " mutants, which take many times as long)."
        ),
    )
    group.addoption(
        "--netbench-selftest-mutants",
        type=_whole,
        default=40,
        metavar="N",
        help="at most so many mutants of each ground truth; 0 is all (default: 40).",
    )
    group.addoption(
        "--netbench-selftest-share",
        type=_count,
        default=1,
        metavar="N",
        help="measure one of N omissions, recorded solutions and mutants, drawn by the seed (default: 1, all of them).",
    )
    group.addoption(
        "--netbench-selftest-seed",
        type=_whole,
        default=1,
        metavar="N",
        help="draws the omissions, recorded solutions and mutants that are measured (default: 1).",
    )
    group.addoption(
        "--netbench-selftest-fresh",
        action="store_true",
        help="measure everything again instead of reusing verdicts that were kept in .netbench/cache.",
    )


def budget(text: str) -> dict[str, float | None]:
    """``"calls=50,tokens=none"`` to ``{"calls": 50, "tokens": None}``."""
    from pytest_netbench.documents.durations import warn_of  # imported only if the option is given

    limits: dict[str, float | None] = {}
    for pair in text.split(","):
        name, equals, value = (part.strip() for part in pair.partition("="))
        if name == "wall_s":
            name = "wall"
            warn_of("wall_s", "wall", where="--netbench-budget")
        if not equals or name not in LIMITS:
            raise argparse.ArgumentTypeError(
                f"{pair.strip()!r} is not LIMIT=N with LIMIT one of {', '.join(LIMITS)}, e.g. calls=50,wall=10m"
            )
        limits[f"{name}_s" if name in _DURATIONS else name] = None if value.lower() == "none" else _limit(name, value)
    return limits


def _limit(name: str, value: str) -> float:
    from pytest_netbench.documents.durations import seconds  # imported only if the option is given

    try:
        number = seconds(value) if name in _DURATIONS else int(value)
    except ValueError:
        number = 0
    if not 0 < number < float("inf"):
        kind = "a duration such as 90s, 10m or 1h30m" if name in _DURATIONS else "a whole number"
        raise argparse.ArgumentTypeError(f"{name}={value}: must be {kind} above 0, or 'none'")
    return number


def _count(text: str) -> int:
    if text.isdecimal() and int(text) > 0:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")


def _whole(text: str) -> int:
    if text.isdecimal():
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is not a whole number, 0 or above")


def _names(text: str) -> tuple[str, ...]:
    return tuple(name for part in text.split(",") if (name := part.strip()))


def _time_scale(text: str) -> float:
    try:
        scale = float(text)
    except ValueError:
        scale = 0.0
    if not 0 < scale <= 100:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0 and at most 100")
    return scale


def _amount(text: str) -> float:
    """US dollars above 0."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of US dollars above 0")
    return value


def _pace(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number, 0 or above")
    return value


def duration(text: str) -> float:
    """Seconds: ``90``, ``90s``, ``15m`` or ``1h30m``."""
    from pytest_netbench.documents.durations import seconds  # imported only if the option is given

    try:
        value = seconds(text)
    except ValueError:
        value = 0.0
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a time above 0, e.g. 90s, 15m or 2h")
    return value
