"""Whether network policies are decided as cyclonus decides them, and enforced as they are decided.

    python -m benchmarks.network_policies [--sets N] [--first SEED] [--cyclonus PROGRAM] [--packets N]

Draws sets of policies over twelve pods in three namespaces, of which 20 to 80 % of the flows pass. Each is compared
with cyclonus (``go install github.com/mattfenwick/cyclonus/cmd/cyclonus@v0.5.6``), and the first ``--packets`` of them
with TCP and UDP packets in a lab. A set in which packets differ is tried once more, as a busy machine may lose one.
What was compared is said after each hundred sets; ``--first`` goes on from a seed.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from tests.support.policy_labs import enforce, policy_lab, unlike, world_of
from tests.support.policy_sets import FEATURES, Draw, by_cyclonus, cluster, questions

LEAST, MOST = 0.2, 0.8


def drawn(first: int) -> Iterator[tuple[int, Draw]]:
    """Sets of which neither few nor most flows pass, with their seeds."""
    seed = first
    while True:
        draw = Draw(seed)
        answers = [allowed for _, allowed in questions(world_of(draw.policies))]
        if LEAST <= sum(answers) / len(answers) <= MOST:
            yield seed, draw
        seed += 1


def by_others(draw: Draw, program: Path) -> int:
    """Number of questions that cyclonus answers otherwise."""
    with tempfile.TemporaryDirectory() as folder:
        theirs = by_cyclonus(program, Path(folder), cluster(), draw.policies)
    return sum(theirs.get(question) != allowed for question, allowed in questions(world_of(draw.policies)))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=int, default=2_000)
    parser.add_argument("--packets", type=int, default=2_000, help="sets that are tried with packets, too")
    parser.add_argument("--first", type=int, default=1, metavar="SEED")
    parser.add_argument("--cyclonus", default=shutil.which("cyclonus"), metavar="PROGRAM")
    arguments = parser.parse_args()
    features: Counter[str] = Counter()
    wrong: list[str] = []
    flows = again = 0
    began = time.monotonic()
    with ExitStack() as stack:
        lab = stack.enter_context(policy_lab()) if arguments.packets else None
        for number, (seed, draw) in enumerate(drawn(arguments.first), start=1):
            if number > arguments.sets:
                break
            features.update(draw.features)
            world = world_of(draw.policies)
            if arguments.cyclonus and (found := by_others(draw, Path(arguments.cyclonus))):
                wrong.append(f"seed {seed}: cyclonus says otherwise of {found} flows")
            if lab is not None and number <= arguments.packets:
                enforce(lab, world)
                if unlike(lab, world):
                    again += 1
                    if different := unlike(lab, world):
                        wrong.append(f"seed {seed}: packets say otherwise of {len(different)} flows: {different[0]}")
                flows += 396
            if number % 100 == 0:
                print(
                    f"{number} sets, last seed {seed}, {time.monotonic() - began:.0f} s, {len(wrong)} differ",
                    flush=True,
                )
    print("\n".join(wrong) or "none differs")
    print(f"flows tried with packets: {flows}; sets that were tried twice: {again}")
    print("sets with each feature:", {name: features[name] for name in FEATURES})
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
