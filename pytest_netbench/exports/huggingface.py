"""A dataset for the Hugging Face Hub: the tasks as files and as rows, a card, and ``eval.yaml``.

A benchmark of the Hub is read by Inspect with its built-in solvers and scorers, which have no network. So ``eval.yaml``
has the tasks that can be asked and answered in words; all of them run on real networks by the files.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import yaml

from pytest_netbench import __version__
from pytest_netbench.model.task import Task
from pytest_netbench.taskfile.writing import task_text

SPLIT: Final = "test"
TASKS: Final = "tasks"
_FIELDS: Final = ("id", "family", "domain", "digest")


@dataclass(frozen=True, kw_only=True)
class Item:
    """A task of the dataset.

    Attributes:
        task: The task.
        question: What a model without a network is asked; ``None`` if the task cannot be answered in words.
        reference: The reference answer to that.
    """

    task: Task
    question: str | None = None
    reference: str | None = None

    @property
    def id(self) -> str:
        """Its id in the dataset."""
        return self.task.slug

    @property
    def file(self) -> str:
        """Place of its task file."""
        return f"{TASKS}/{self.id}.task.yaml"


def dataset(items: Sequence[Item], *, name: str) -> dict[str, str]:
    """Return the files of a dataset, by their places. Equal tasks give equal bytes.

    Args:
        items: The tasks, each with an id of its own.
        name: What the dataset is called.
    """
    files = {item.file: task_text(item.task) for item in items}
    for family in _families(items):
        rows = (_row(item) for item in items if item.task.family == family)
        files[_data(family)] = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
    files["README.md"] = _card(items, name)
    if any(item.question is not None for item in items):
        files["eval.yaml"] = _yaml(_evaluation(items, name))
    return files


def _families(items: Sequence[Item]) -> list[str]:
    return sorted({item.task.family for item in items})


def _asked(items: Sequence[Item]) -> list[str]:
    """The families of which all tasks can be answered in words."""
    silent = {item.task.family for item in items if item.question is None}
    return [family for family in _families(items) if family not in silent]


def _data(family: str) -> str:
    return f"data/{family}.jsonl"


def _row(item: Item) -> dict[str, Any]:
    task = item.task
    about = {"id": item.id, "family": task.family, "domain": task.domain, "digest": task.digest}
    return {**about, "file": item.file, "input": item.question or "", "target": item.reference or ""}


def _evaluation(items: Sequence[Item], name: str) -> dict[str, Any]:
    tasks = [
        {
            "id": family,
            "config": family,
            "split": SPLIT,
            "field_spec": {"input": "input", "target": "target", "metadata": list(_FIELDS)},
            "solvers": [{"name": "generate"}],
            "scorers": [{"name": "model_graded_qa"}],
        }
        for family in _asked(items)
    ]
    about = "Tasks of network engineering, asked and answered in words. Verdicts on real networks: see README.md."
    return {"name": name, "description": about, "evaluation_framework": "inspect-ai", "tasks": tasks}


def _card(items: Sequence[Item], name: str) -> str:
    counts = Counter(item.task.family for item in items)
    head = {
        "pretty_name": name,
        "language": ["en"],
        "tags": ["benchmark", "networking", "agents", "inspect-ai", "pytest-netbench"],
        "size_categories": ["n<1K" if len(items) < 1000 else "1K<n<10K" if len(items) < 10_000 else "10K<n<100K"],
        "configs": [
            {"config_name": family, "data_files": [{"split": SPLIT, "path": _data(family)}]} for family in counts
        ],
    }
    return f"---\n{_yaml(head)}---\n\n{_text(items, counts, name)}"


def _text(items: Sequence[Item], counts: Mapping[str, int], name: str) -> str:
    asked = _asked(items)
    table = "\n".join(
        f"| `{family}` | {count} | {'yes' if family in asked else 'no'} |" for family, count in sorted(counts.items())
    )
    in_words = (
        f"""\
`eval.yaml` has those of {", ".join(f"`{family}`" for family in asked)}: a model sees the configurations and answers in
words, and a model compares the answer with the reference solution. Nothing is run, so this score is no verdict.
"""
        if asked
        else "No task of it can be asked without a network, so there is no `eval.yaml`.\n"
    )
    return f"""\
# {name}

{len(items)} tasks of network engineering for AI agents, written by pytest-netbench {__version__}. An agent works on a
real, running network; testcases with real packets decide.

| family | tasks | in `eval.yaml` |
|---|---|---|
{table}

## On real networks

    pip install 'pytest-netbench[inspect]'
    inspect eval pytest_netbench/{min(counts)} -T tasks={TASKS} --model …

or, without Inspect, `pytest {TASKS} --agent=…`. Both give the same verdicts.

## In words

{in_words}
## Contents

Each row has `id`, `family`, `domain`, `digest` (of the task), `file` (the task file), and `input` and `target`, which
are empty where a task cannot be asked in words.

**The reference solutions are public here**: they are in the task files and in `target`. Do not evaluate models with
these tasks that were trained on them. Tasks that shall stay secret can be drawn anew, or sealed by `netbench seal`.
"""


def _yaml(value: Any) -> str:
    return yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=120)
