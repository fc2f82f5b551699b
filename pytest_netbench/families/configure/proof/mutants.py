"""Claim ``mutants``: a changed ground-truth line that changes what the network does fails a testcase."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Literal, NamedTuple

from pytest_netbench.families.configure.mutation import Mutant, mutants
from pytest_netbench.families.configure.proof.judging import Judge
from pytest_netbench.families.configure.proof.proof_labs import ProofLabs
from pytest_netbench.families.scenes import NetworkScene
from pytest_netbench.model.solutions import ExplainedMutant, Solutions

MOST_LABS = 3
"""A mutant that is different in another way on each of so many labs is taken to be equal."""
SURVIVING_MUTANTS = "mutants that no testcase catches"

Kind = Literal["refused", "caught", "equal", "survived"]


class Fate(NamedTuple):
    """What became of a mutant, with the testcase that fails, the device's message, or the difference."""

    kind: Kind
    words: str


class Fates:
    """Finds out what becomes of mutants.

    Args:
        labs: Measures the task.
        judge: Gives the judge of mutants that no testcase fails, always the same one.
    """

    def __init__(self, labs: ProofLabs, judge: Callable[[], Judge]) -> None:
        self._labs = labs
        self._judge = judge

    def of(self, mutant: Mutant) -> Fate:
        """Return what becomes of a mutant, each time on a lab of its own."""
        seen: set[str] = set()
        for _ in range(MOST_LABS):
            if seen:
                self._judge().doubt()
            known = len(seen)
            fate = self._decided(mutant, seen)
            if fate is not None:
                return fate
            if len(seen) == known:
                break
        return Fate("equal", "")

    def _decided(self, mutant: Mutant, seen: set[str]) -> Fate | None:
        """The fate as far as one lab shows it. What differs is added to ``seen``: chance does not repeat itself."""
        with self._labs.network() as network:
            fate = self._tested(mutant, network)
            if fate is not None:
                return fate
            if self._judge().is_ready:
                return self._judged(network, seen)
        # the ground truth is observed when no other network runs: a process has one cluster at a time
        self._judge().prepare()
        return self._decided(mutant, seen)

    def _tested(self, mutant: Mutant, network: NetworkScene) -> Fate | None:
        """The fate as far as devices and testcases tell it. The network has the mutant afterwards."""
        applied = self._labs.apply(network, mutant.configs(self._labs.payload.ground_truth_configs))
        if applied.refused:
            return Fate("refused", applied.refused[0])
        witness = self._labs.witness_of(mutant.node, mutant.index)
        failed = self._labs.first_failed(network.evaluation, witness=witness)
        if failed is not None:
            self._labs.note_witness(mutant.node, mutant.index, failed)
            return Fate("caught", failed)
        return None

    def _judged(self, network: NetworkScene, seen: set[str]) -> Fate | None:
        """The fate as far as a comparison with the ground truth tells it."""
        for differences in self._judge().differences(network):
            for one in differences:
                if one.about in seen:
                    return Fate("survived", one.words)
            seen.update(one.about for one in differences)
        return None


class Mutants:
    """Applies mutants of the ground truth, each to a lab of its own, until one testcase fails.

    A mutant that no testcase fails is judged by other means. It survived if it is different in the same way on two of
    its labs; from the second one on, the ground truth is observed on more labs.
    Mutants are measured in the first repeat only.
    """

    name = "mutants"

    def __init__(self, labs: ProofLabs) -> None:
        self._labs = labs
        self._explained = {(one.node, one.line.strip(), one.mutant): one for one in self._recorded()}
        self._all = mutants(labs.payload)
        self._chosen = self._choose()
        self._fates: dict[Mutant, Fate] = {}
        self._finding = Fates(labs, cache(lambda: Judge(labs)))

    def _recorded(self) -> tuple[ExplainedMutant, ...]:
        return (self._labs.extent.solutions or Solutions()).mutants

    def _choose(self) -> tuple[Mutant, ...]:
        """The explained ones, and as many others as are drawn, in the order of the lines."""
        extent, slug = self._labs.extent, self._labs.task.slug
        drawn = sorted(
            (one for one in self._all if extent.drawn("mutant", slug, *one.name)),
            key=lambda one: extent.lot("mutant order", slug, *one.name),
        )
        kept = set(drawn[: extent.mutants] if extent.mutants else drawn)
        if extent.share == 1:
            kept |= {one for one in self._all if one.name in self._explained}
        return tuple(one for one in self._all if one in kept)

    def measure(self, repeat: int) -> None:
        if repeat:
            return
        for mutant in self._chosen:
            key = ("mutant", list(mutant.configs(self._labs.payload.ground_truth_configs).items()))
            kept = self._labs.extent.memory.get(*key)
            fate = Fate(*kept) if kept is not None else self._finding.of(mutant)
            if kept is None:
                self._labs.extent.memory.put(*key, value=list(fate))
            self._fates[mutant] = fate

    def problems(self) -> Iterator[str]:
        known = {one.name for one in self._all}
        for mutant, fate in self._of("survived"):
            if mutant.name not in self._explained:
                yield (
                    f"mutant {mutant} fails no testcase ({fate.words}): add a testcase that it fails, or explain it"
                    " under 'mutants' of the recorded solutions"
                )
        for name, one in self._explained.items():
            if name not in known:
                yield f"explained mutant {one.mutant!r} of {one.node} {one.line!r}: there is no such mutant"
        for mutant, fate in self._fates.items():
            if mutant.name in self._explained and fate.kind != "survived":
                why = f"{fate.kind} ({fate.words})" if fate.words else fate.kind
                yield f"explained mutant {mutant} is {why}; it needs no explanation"

    def _of(self, kind: Kind) -> Iterator[tuple[Mutant, Fate]]:
        return ((mutant, fate) for mutant, fate in self._fates.items() if fate.kind == kind)

    def shown(self) -> Mapping[str, str]:
        counts = Counter(fate.kind for fate in self._fates.values())
        explained = sum(mutant.name in self._explained for mutant, _ in self._of("survived"))
        return {
            "mutants": f"{len(self._fates)} of {len(self._all)}",
            "refused": str(counts["refused"]),
            "equal": str(counts["equal"]),
            "caught": str(counts["caught"]),
            "explained": str(explained),
            "survivors": str(counts["survived"] - explained),
        }

    def listed(self) -> Mapping[str, tuple[str, ...]]:
        words = []
        for mutant, fate in self._of("survived"):
            explained = self._explained.get(mutant.name)
            words.append(f"{mutant}: {explained.reason if explained else f'{fate.words}: not explained'}")
        return {SURVIVING_MUTANTS: tuple(words)} if words else {}
