"""Measures the reasoning score of right, wrong and unrelated texts over the shipped tasks.

python benchmarks/reasoning_scores.py [--write]

Right and wrong texts come from the recorded solutions (``tasks/<domain>/.solutions``) and, without a person, from the
ground truth's reasoning; unrelated ones are the ground truth's reasoning of other tasks. ``--write`` replaces the table
in ``docs/reference/scores.md``.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import yaml

from pytest_netbench.model.configure import configuration_of
from pytest_netbench.model.task import Task
from pytest_netbench.reporting import words
from pytest_netbench.scorers.embedder import Embedder, SentenceEmbedder, sentences
from pytest_netbench.scorers.references import GROUND_TRUTH
from pytest_netbench.scorers.similarity import similarity
from pytest_netbench.taskfile import load_task

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/reference/scores.md"
BEGIN, END = "<!-- measured values: begin -->\n", "<!-- measured values: end -->\n"

RIGHT = "right: what is recorded of another right solution: its reasoning, or else the reason why it is right"
CUT = "right, but cut: every second sentence of the ground truth's reasoning"
WRONG = "wrong: what is recorded of a wrong solution, likewise"
REVERSED = "wrong: the ground truth's reasoning with opposite words and other numbers"
INTENTS = "no reasoning: the intents, repeated"
SAME_DOMAIN = "unrelated: the ground truth's reasoning of another task of the domain"
OTHER_DOMAIN = "unrelated: the ground truth's reasoning of a task of another domain"
GROUPS = (RIGHT, CUT, WRONG, REVERSED, INTENTS, SAME_DOMAIN, OTHER_DOMAIN)

_OPPOSITES = """permit deny, permits denies, permitted denied, inbound outbound, in out, first last, before after,
    higher lower, highest lowest, strict loose, source destination, any all, more less, static dynamic, inside outside,
    longer shorter, up down, with without, always never, enable disable, primary backup, accept reject"""
_PAIRS = [pair.split() for pair in _OPPOSITES.split(",")]
_OPPOSITE = {one: other for pair in _PAIRS for one, other in (pair, reversed(pair))}


@dataclass(frozen=True, kw_only=True)
class About:
    """A task with what is recorded of its solutions, by their names.

    ``references`` are the texts that the score compares with.
    """

    task: Task
    references: Mapping[str, str]
    right: Mapping[str, str] = field(default_factory=dict)
    wrong: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Case:
    """A text that is compared with references."""

    group: str
    given: str
    references: Mapping[str, str]


def corpus(folder: Path = ROOT / "tasks") -> list[About]:
    """Return the shipped tasks on labs with their recorded solutions."""
    return [
        _about(path) for path in sorted(one for one in folder.glob("*/*.task.*") if one.parent.name != "kubernetes")
    ]


def _about(path: Path) -> About:
    task = load_task(path)
    recorded = path.parent / ".solutions" / f"{task.slug}.yaml"
    found: dict[str, Any] = yaml.safe_load(recorded.read_text(encoding="utf-8")) if recorded.is_file() else {}
    right, wrong = found.get("right") or (), found.get("wrong") or ()
    reasoning = {one["name"]: one["reasoning"] for one in right if one.get("reasoning")}
    return About(
        task=task,
        references={GROUND_TRUTH: task.ground_truth_reasoning, **reasoning},
        right={one["name"]: one.get("reasoning") or one["reason"] for one in right},
        wrong={one["name"]: one.get("reasoning") or one["reason"] for one in wrong},
    )


def cases(tasks: Sequence[About]) -> Iterator[Case]:
    """Yield all texts with what they are compared with."""
    for about in tasks:
        truth, references = about.task.ground_truth_reasoning, about.references
        for name, text in about.right.items():
            others = {other: one for other, one in references.items() if other != name}
            yield Case(group=RIGHT, given=text, references=others)
        for text in about.wrong.values():
            yield Case(group=WRONG, given=text, references=references)
        intents = configuration_of(about.task).intents
        yield Case(group=CUT, given=" ".join(sentences(truth)[::2]), references=references)
        yield Case(group=REVERSED, given=opposite(truth), references=references)
        yield Case(group=INTENTS, given="\n".join(intent.text for intent in intents), references=references)
        for group, other in ((SAME_DOMAIN, _next(about, tasks, same=True)), (OTHER_DOMAIN, _next(about, tasks))):
            if other is not None:
                yield Case(group=group, given=other.task.ground_truth_reasoning, references=references)


def _next(about: About, tasks: Sequence[About], *, same: bool = False) -> About | None:
    """The task behind ``about``, of the same domain or of another one, round the list."""
    at = next(index for index, one in enumerate(tasks) if one is about)
    behind = [*tasks[at + 1 :], *tasks[:at]]
    return next((one for one in behind if (one.task.domain == about.task.domain) == same), None)


def opposite(text: str) -> str:
    """``text`` with opposite words, and other numbers; its subject stays the same."""
    return re.sub(r"\d+|[A-Za-z]+", _other, text)


def _other(found: re.Match[str]) -> str:
    word = found[0]
    if word.isdigit():
        return str(int(word) * 2 + 1)
    other = _OPPOSITE.get(word.lower(), word)
    return other.capitalize() if word[0].isupper() else other


@dataclass(frozen=True, kw_only=True)
class Row:
    """Scores of the texts of one group."""

    group: str
    scores: Sequence[float]
    rouge: Sequence[float]

    def __str__(self) -> str:
        if not self.scores:
            return f"| {self.group} | 0 |{f' {words.NOTHING} |' * 4}"
        figures = (min(self.scores), median(self.scores), max(self.scores), median(self.rouge))
        return f"| {self.group} | {len(self.scores)} | {' | '.join(f'{one:.2f}' for one in figures)} |"


def measure(tasks: Sequence[About], embedder: Embedder) -> list[Row]:
    """Return a row for each group; empty if nothing can be embedded here."""
    found = [(case.group, similarity(case.given, case.references, embedder)) for case in cases(tasks)]
    measured = [(group, one.value, one.evidence) for group, one in found if one.value is not None]
    return [
        Row(
            group=group,
            scores=[value for name, value, _ in measured if name == group],
            rouge=[evidence["rouge_l"] for name, _, evidence in measured if name == group],
        )
        for group in GROUPS
    ]


def table(rows: Sequence[Row]) -> str:
    """Return the table of the page."""
    head = "| text | number | lowest | median | highest | ROUGE-L, median |\n|---|---|---|---|---|---|\n"
    return head + "".join(f"{row}\n" for row in rows)


def write(text: str, page: Path = PAGE) -> None:
    """Replace the table in ``page``."""
    before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    page.write_text(f"{before}{BEGIN}\n{text}\n{END}{rest.partition(END)[2]}", encoding="utf-8")


def main() -> None:
    """Measure, print, and write if asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help=f"replace the table in {PAGE.relative_to(ROOT)}")
    chosen = parser.parse_args()
    text = table(measure(corpus(), SentenceEmbedder()))
    if chosen.write:
        write(text)
    print(text, end="")


if __name__ == "__main__":
    main()
