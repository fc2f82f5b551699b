"""Claim ``solutions``: recorded right solutions pass, wrong ones fail, and those that tamper are refused by the ANI."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from pytest_netbench.families.configure.proof.proof_labs import ProofLabs, Verdict
from pytest_netbench.families.configure.renaming import renaming_of_truth
from pytest_netbench.model.solutions import Solution, Solutions

WITNESSES = "what fails with wrong solutions"


class RecordedSolutions:
    """Applies each recorded solution to a lab of its own."""

    name = "solutions"

    def __init__(self, labs: ProofLabs) -> None:
        self._labs = labs
        recorded = labs.extent.solutions or Solutions()
        self._right = self._drawn(recorded.right)
        self._wrong = self._drawn(recorded.wrong)
        self._verdicts: dict[str, list[Verdict]] = defaultdict(list)

    def _drawn(self, solutions: tuple[Solution, ...]) -> tuple[Solution, ...]:
        extent, slug = self._labs.extent, self._labs.task.slug
        return tuple(one for one in solutions if extent.drawn("solution", slug, one.name))

    @property
    def right_configs(self) -> dict[str, dict[str, str]]:
        """The running configs that each right solution leaves."""
        return {one.name: dict(self._verdicts[one.name][-1].configs or {}) for one in self._right}

    @property
    def right_reasoning(self) -> dict[str, str]:
        """The reasoning of right solutions, of those that have one."""
        return {one.name: one.reasoning for one in self._right if one.reasoning}

    def measure(self, repeat: int) -> None:
        def judged(one: Solution) -> Verdict:
            what = f"solution {one.name}"
            return self._labs.judged(what, one.configs, repeat=repeat, passes=one in self._right)

        every = (*self._right, *self._wrong)
        for one, verdict in zip(every, self._labs.each(judged, every), strict=True):
            self._verdicts[one.name].append(verdict)

    def problems(self) -> Iterator[str]:
        for one in self._right:
            yield from self._wrongly_failed(one)
        for one in self._wrong:
            yield from self._wrongly_passed(one)
        for one in (*self._right, *self._wrong):
            refused = self._verdicts[one.name][0].refused
            if refused:
                yield f"solution {one.name!r}: {refused[0]}: write what the device accepts"

    def _wrongly_failed(self, one: Solution) -> Iterator[str]:
        if (objection := renaming_of_truth(self._labs.payload, one.configs)) is not None:
            yield f"right solution {one.name!r}: {objection}"
        failed = list(dict.fromkeys(name for verdict in self._verdicts[one.name] for name in verdict.failed))
        if failed:
            names = ", ".join(map(repr, failed))
            yield f"right solution {one.name!r} fails {names}: mend the testcase, or record the solution as wrong"
        for node, words in self._verdicts[one.name][0].denied.items():
            yield f"right solution {one.name!r}: {node} cannot be configured: {words}"

    def _wrongly_passed(self, one: Solution) -> Iterator[str]:
        verdicts = self._verdicts[one.name]
        times = sum(not verdict.failed for verdict in verdicts)
        if times == len(verdicts):
            yield f"wrong solution {one.name!r} passes every testcase: add a testcase that it fails ({one.reason})"
        elif times:
            yield f"wrong solution {one.name!r} passed in {times} of {len(verdicts)} repeats: make it never so"
        if one.tampers and not all(verdict.denied for verdict in verdicts):
            yield f"wrong solution {one.name!r} tampers, and the ANI lets it"
        if not one.tampers and (denied := verdicts[0].denied):
            node, words = next(iter(denied.items()))
            yield f"wrong solution {one.name!r}: {node} cannot be configured: {words}"

    def shown(self) -> Mapping[str, str]:
        if not self._right and not self._wrong:
            return {}
        passed = sum(not any(verdict.failed for verdict in self._verdicts[one.name]) for one in self._right)
        failed = sum(all(verdict.failed for verdict in self._verdicts[one.name]) for one in self._wrong)
        return {"right pass": f"{passed} of {len(self._right)}", "wrong fail": f"{failed} of {len(self._wrong)}"}

    def listed(self) -> Mapping[str, tuple[str, ...]]:
        words = []
        for one in self._wrong:
            seen = dict.fromkeys(name for verdict in self._verdicts[one.name] for name in verdict.failed[:1])
            words.append(f"{one.name!r}: {', '.join(map(repr, seen)) or 'nothing'}")
        return {WITNESSES: tuple(words)} if words else {}
