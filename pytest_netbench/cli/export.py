"""netbench export: examples for fine-tuning, datasets of tasks, trajectories and spans, in formats of other tools."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_netbench import parts
from pytest_netbench.cli import export_dataset, export_harbor, export_trials, runs
from pytest_netbench.cli.export_trials import reaches
from pytest_netbench.cli.taskpaths import files
from pytest_netbench.errors import NetbenchError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pytest_netbench.generators.sources import Source
    from pytest_netbench.model.trial import TrialResult
    from pytest_netbench.results.store import ResultsDir
    from pytest_netbench.training.examples import Example

    Made = tuple[str, Callable[[], Example]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What is exported, and where to."""
    parser.add_argument(
        "format",
        choices=["sft", "atif", "otel", "harbor", "huggingface"],
        help=(
            "sft: OpenAI's chat format for supervised fine-tuning, as JSON Lines; atif: trajectories of trials; otel:"
            " their spans; harbor: tasks as a dataset of Harbor; huggingface: tasks as a dataset for the Hub, with a"
            " card and eval.yaml"
        ),
    )
    parser.add_argument(
        "paths",
        nargs="*",
        type=Path,
        metavar="PATH",
        help="sft, harbor, huggingface: task files or folders, which are written (of sft: their ground truth); atif,"
        " otel: results directories (default: the newest run of pytest, unless --generate or --results is given)",
    )
    parser.add_argument(
        "--generate",
        action="append",
        default=[],
        metavar="NAME:PARAMETER=VALUE,…",
        help="drawn tasks, whose ground truth is written; may be repeated",
    )
    parser.add_argument(
        "--results",
        action="append",
        default=[],
        type=Path,
        metavar="DIR",
        help="a results directory, whose passed trials are written; may be repeated",
    )
    parser.add_argument("--family", action="append", default=[], metavar="NAME", help="only tasks of these families")
    parser.add_argument("--agent", action="append", default=[], metavar="ID", help="only trials of these agents")
    parser.add_argument(
        "--min-score",
        action="append",
        default=[],
        type=_least,
        metavar="METRIC=VALUE",
        help="only trials with at least this score; may be repeated",
    )
    parser.add_argument(
        "--atif-version",
        choices=("1.8", "1.7"),
        default="1.8",
        help="atif: the version of the format (default: 1.8)",
    )
    parser.add_argument(
        "--content", action="store_true", help="otel: also what was said to models and devices, and their answers"
    )
    parser.add_argument(
        "--name", metavar="NAME", help="huggingface: what the dataset is called (default: the name of its folder)"
    )
    parser.add_argument(
        "--organisation", default="netbench", metavar="NAME", help="harbor: the first part of names (default: netbench)"
    )
    parser.add_argument(
        "--layout",
        choices=("compose", "single"),
        default="compose",
        help="harbor: the lab in a container beside the agent's, or in the same one (default: compose)",
    )
    parser.add_argument(
        "--lab-image", default="netbench", metavar="IMAGE", help="harbor: the image of the lab (default: netbench)"
    )
    parser.add_argument(
        "--agent-image",
        default="netbench-agent",
        metavar="IMAGE",
        help="harbor: the image that agents work in, with Python and an SSH client (default: netbench-agent)",
    )
    parser.add_argument(
        "--output",
        "-o",
        required=True,
        metavar="FILE",
        help="sft: the file that is written; atif, harbor, huggingface: the folder; otel: the file, or the URL of a"
        " collector",
    )


def run(arguments: argparse.Namespace) -> int:
    """Write the file or folder; return 1 if there is nothing to write."""
    if arguments.name is not None and arguments.format != "huggingface":
        raise UsageError("--name is for huggingface; leave it out")
    others = {"harbor": export_harbor.run, "huggingface": export_dataset.run, "sft": _write_examples}
    return others.get(arguments.format, export_trials.run)(arguments)


def _write_examples(arguments: argparse.Namespace) -> int:
    if arguments.content:
        raise UsageError("--content is for otel; leave it out")
    if not (arguments.paths or arguments.generate):
        arguments.results = runs.chosen(arguments.results)
    lines: list[str] = []
    left_out: Counter[str] = Counter()
    for name, make in _sources(arguments):
        try:
            lines.append(make().line())
        except NetbenchError as error:
            left_out[str(error)] += 1
            print(f"{name}: left out: {error}", file=sys.stderr)
    if lines:
        Path(arguments.output).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="")
    print(f"wrote {len(lines)} examples to {arguments.output}" if lines else "there is no example to write")
    for reason, count in left_out.most_common():
        print(f"left out {count}: {reason}")
    return 0 if lines else 1


def _sources(arguments: argparse.Namespace) -> Iterator[Made]:
    """Name of each possible example, and what makes it: tasks by path, draws by index, trials by node id."""
    wanted = set(arguments.family)
    for family in wanted - set(parts.names("families")):
        parts.load("families", family)  # raises an error that names those that there are
    yield from _tasks(arguments, wanted)
    for directory in arguments.results:
        yield from _trials(directory, wanted, set(arguments.agent), dict(arguments.min_score))


def _tasks(arguments: argparse.Namespace, families: set[str]) -> Iterator[Made]:
    from pytest_netbench.generators.series import read_series  # imports pydantic
    from pytest_netbench.generators.sources import FileSource
    from pytest_netbench.results.truth import TruthStore
    from pytest_netbench.training.truth import of_task

    sources: list[Source] = [FileSource(path) for path in files(arguments.paths)]
    for text in arguments.generate:
        sources += read_series(text).sources()
    for source in sources:
        task = source.load()
        if not families or task.family in families:
            folder = source.path.parent if isinstance(source, FileSource) else Path.cwd()
            truths = TruthStore.around(folder, root=Path.cwd())
            yield str(source), partial(of_task, task, truths)


def _trials(directory: Path, families: set[str], agents: set[str], least: Mapping[str, float]) -> Iterator[Made]:
    from pytest_netbench.results.store import ResultsDir  # imports pydantic

    if not directory.is_dir():
        raise UsageError("no such results directory; give the one that --netbench-results named", path=directory)
    store = ResultsDir(directory)
    for result in store.results():
        chosen = (not families or result.family in families) and (not agents or result.agent.id in agents)
        if chosen and result.status == "passed" and reaches(result, least):
            yield f"{result.node_id} trial {result.trial}", partial(_of_trial, store, result)


def _of_trial(store: ResultsDir, result: TrialResult) -> Example:
    from pytest_netbench.training.transcripts import of_record  # imports pydantic

    record = store.record_of(result)
    if record is None:
        raise UsageError("no transcript was kept")
    return of_record(record)


def _least(text: str) -> tuple[str, float]:
    metric, _, value = text.partition("=")
    try:
        return metric.strip(), float(value)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not METRIC=VALUE, e.g. testcase=1") from None
