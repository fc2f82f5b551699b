"""Claim ``omissions``: leaving out any one line of the ground truth fails a testcase."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pytest_netbench.families.configure.proof.proof_labs import ProofLabs, line_name
from pytest_netbench.families.configure.solution import Line, truth_without

SURVIVORS = "lines that no testcase misses"


@dataclass(frozen=True, kw_only=True)
class Survivor:
    """A ground-truth line whose omission fails no testcase. ``reason`` is the task file's, or ``None``."""

    node: str
    line: str
    reason: str | None

    def __str__(self) -> str:
        return f"{self.node}: {self.line!r}: {self.reason or 'not explained'}"


class Omissions:
    """Leaves out one ground-truth line at a time, each on a lab of its own; of all lines, those that are drawn."""

    name = "omissions"

    def __init__(self, labs: ProofLabs) -> None:
        self._labs = labs
        self._payload = labs.payload
        self._all: list[Line] = [
            (node, i) for node, lines in self._payload.ground_truth_configs.items() for i in range(len(lines))
        ]
        self._lines = [line for line in self._all if labs.extent.drawn("omission", labs.task.slug, *line)]
        self._noticed: Counter[Line] = Counter()
        self._repeats = 0

    def measure(self, repeat: int) -> None:
        def is_noticed(line: Line) -> bool:
            configs = truth_without(self._labs.task, line)
            return bool(self._labs.judged(line_name(*line), configs, repeat=repeat, passes=False).failed)

        noticed = self._labs.each(is_noticed, self._lines)
        self._noticed.update(line for line, one in zip(self._lines, noticed, strict=True) if one)
        self._repeats += 1

    def problems(self) -> Iterator[str]:
        for line in self._lines:
            times = self._noticed[line]
            node, text = self._words(line)
            if 0 < times < self._repeats:
                yield (
                    f"{node}: leaving out {text!r} was noticed in {times} of {self._repeats} repeats: make it always"
                    " or never so"
                )
        for survivor in self._survivors():
            if survivor.reason is None:
                yield (
                    f"{survivor.node}: leaving out {survivor.line!r} fails no testcase: add a testcase that misses it,"
                    " drop the line, or explain it under accepted_survivors"
                )
        yield from self._idle_acceptances()

    def _idle_acceptances(self) -> Iterator[str]:
        survived = {(one.node, one.line) for one in self._survivors()}
        known = {self._words(line) for line in self._all}
        measured = {self._words(line) for line in self._lines}
        for node, lines in self._payload.accepted_survivors.items():
            for text in lines:
                if (node, text.strip()) not in known:
                    yield f"accepted_survivors: {node} has no ground-truth line {text.strip()!r}"
                elif (node, text.strip()) in measured - survived:
                    yield (
                        f"accepted_survivors: leaving out {text.strip()!r} on {node} is noticed; it needs no"
                        " explanation"
                    )

    def _survivors(self) -> tuple[Survivor, ...]:
        survivors = []
        for line in self._lines:
            if self._noticed[line]:
                continue
            node, text = self._words(line)
            reasons = {one.strip(): reason for one, reason in self._payload.accepted_survivors.get(node, {}).items()}
            survivors.append(Survivor(node=node, line=text, reason=reasons.get(text)))
        return tuple(survivors)

    def _words(self, line: Line) -> tuple[str, str]:
        node, index = line
        return node, self._payload.ground_truth_configs[node][index].strip()

    def shown(self) -> Mapping[str, str]:
        survivors = self._survivors()
        noticed = sum(count == self._repeats for count in self._noticed.values())
        return {
            "lines missed when left out": f"{noticed} of {len(self._lines)}",
            "survivors explained": f"{sum(one.reason is not None for one in survivors)} of {len(survivors)}",
        }

    def listed(self) -> Mapping[str, tuple[str, ...]]:
        return {SURVIVORS: tuple(map(str, self._survivors()))}
