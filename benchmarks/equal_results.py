"""Compare results with another checkout: ``python benchmarks/equal_results.py OTHER_CHECKOUT [--only PART,…]``.

For changes that must not change a result. The parts are ``draws`` (digests of the tasks that each generator draws),
``oracle`` and ``nop`` (the shipped tasks), ``solutions`` (each recorded solution of them, as an agent), and ``drawn``
(drawn tasks by the oracle). Each checkout runs with the interpreter in its own ``.venv``; one without uses this one's
with its own code. Everything in the results is compared but for what ``differences.py`` lists with reasons. The exit
status is 1 if anything differs, or if a part compared nothing. Progress goes to stderr.
"""

from __future__ import annotations

import argparse
import json
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import yaml

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.checkouts import Broken, Checkout, tell
from benchmarks.differences import Difference, differences, first_difference, table

HERE: Final = Path(__file__).parents[1]
PARTS: Final = ("draws", "oracle", "nop", "solutions", "drawn")
SEED: Final = 34
_SHOWN_DRAWS: Final = 3


class Comparison:
    """Compares two checkouts part by part.

    Args:
        other: The other checkout.
        here: This one.
        options: Of the command line.
    """

    def __init__(self, other: Checkout, here: Checkout, options: argparse.Namespace) -> None:
        self._both, self._options = (other, here), options

    def draws(self) -> Iterator[tuple[int, list[Difference]]]:
        """Digests of draws; of some that differ, the first value that does."""
        names, lacking = self._generators()
        yield 0, lacking
        series = [f"{name}:n={self._options.draws},seed={SEED}" for name in names]
        with ThreadPoolExecutor(self._options.workers) as pool:
            found = [[pool.submit(one.draw, text) for one in self._both] for text in series]
            for text, (other, here) in zip(series, found, strict=True):
                pairs = list(zip(other.result(), here.result(), strict=True))
                tell(f"draws: {text}")
                differing = [index for index, (one, another) in enumerate(pairs) if one != another]
                yield len(pairs), list(self._drawn_otherwise(text, differing))

    def _generators(self) -> tuple[list[str], list[Difference]]:
        """The generators that both have, and those that one lacks."""
        other, here = ({*one.draw()[0].split()} for one in self._both)
        words = {True: "registered", False: "lacks it"}
        lacking = [
            Difference(f"generator {name}", "registered", words[name in other], words[name in here])
            for name in sorted(other ^ here)
        ]
        return sorted(other & here), lacking

    def _drawn_otherwise(self, series: str, differing: list[int]) -> Iterator[Difference]:
        name = series.partition(":")[0]
        for index in differing[:_SHOWN_DRAWS]:
            item = f"{name} draw {index} ({series})"
            other, here = (json.loads(one.draw(series, str(index))[0]) for one in self._both)
            unstable = Difference(item, "digest", "not the same when drawn again", "not the same when drawn again")
            yield first_difference(item, *({**form, "digest": None} for form in (other, here))) or unstable
        if len(differing) > _SHOWN_DRAWS:
            more = ", ".join(map(str, differing[_SHOWN_DRAWS:]))
            yield Difference(f"{name} draws {more}", "digest", "differs", "differs")

    def oracle(self) -> Iterator[tuple[int, list[Difference]]]:
        """The shipped tasks by the oracle."""
        yield self._compared("oracle", "tasks/", "--agent=oracle", *self._selected())

    def nop(self) -> Iterator[tuple[int, list[Difference]]]:
        """The shipped tasks, and nothing is done."""
        yield self._compared("nop", "tasks/", "--agent=nop", *self._selected())

    def solutions(self) -> Iterator[tuple[int, list[Difference]]]:
        """Each recorded solution of the shipped tasks, by its name."""
        yield _judged(*(self._by_solution(one) for one in self._both))

    def _by_solution(self, checkout: Checkout) -> dict[str, Any]:
        recorded = recorded_in(checkout.root)
        folder = checkout.scratch / "solutions"
        folder.mkdir()
        shutil.copy(HERE / "benchmarks/recorded_solutions.py", folder)
        (folder / "solutions.json").write_text(json.dumps(recorded), encoding="utf-8")
        most = max(map(len, recorded.values()), default=0)
        agents = [f"--agent=recorded_solutions:S{number:02}" for number in range(most)]
        arguments = ("tasks/", "-p", "recorded_solutions", *agents, *self._selected())
        found = checkout.run("solutions", *arguments, workers=self._options.workers, path=folder)
        return dict(_renamed(line, recorded) for line in found.values())

    def drawn(self) -> Iterator[tuple[int, list[Difference]]]:
        """Drawn tasks of each generator by the oracle; proofs are left out, so that no task is."""
        names, lacking = self._generators()
        yield 0, lacking
        for name in names:
            series = f"--netbench-generate={name}:n={self._options.drawn},seed={SEED}"
            yield self._compared(f"drawn {name}", series, "--netbench-unproven", "--agent=oracle")

    def _selected(self) -> tuple[str, ...]:
        return ("-k", self._options.tasks) if self._options.tasks else ()

    def _compared(self, what: str, *arguments: str) -> tuple[int, list[Difference]]:
        return _judged(*(one.run(what, *arguments, workers=self._options.workers) for one in self._both))


def _judged(other: dict[str, Any], here: dict[str, Any]) -> tuple[int, list[Difference]]:
    return len(other.keys() & here.keys()), differences(other, here)


def recorded_in(root: Path) -> dict[str, list[dict[str, Any]]]:
    """The recorded solutions of a checkout, by the name of the task."""
    found = {}
    for path in sorted(root.glob("tasks/*/.solutions/*.yaml")):
        (file,) = path.parents[1].glob(f"{path.stem}.task.*")
        # the base loader, also for JSON: a command is a text, even if it looks like a number
        task, kept = (yaml.load(one.read_text(encoding="utf-8"), yaml.BaseLoader) for one in (file, path))
        both = [*kept.get("right", ()), *kept.get("wrong", ())]
        found[task["task_name"]] = [{**one, "slug": path.stem} for one in both]
    return found


def _renamed(line: dict[str, Any], recorded: dict[str, list[dict[str, Any]]]) -> tuple[str, dict[str, Any]]:
    """A result by its task and the name of its solution, wherever that stands in its file."""
    solution = recorded[line["task_name"]][int(line["agent"]["id"].rpartition("S")[2])]
    item = f"{line['node_id'].partition('[')[0]} solution {solution['name']!r}"
    return item, {name: value for name, value in line.items() if name not in ("agent", "node_id")}


def _parts(text: str) -> list[str]:
    chosen = text.split(",")
    if unknown := [name for name in chosen if name not in PARTS]:
        raise argparse.ArgumentTypeError(f"unknown part {unknown[0]!r} (known: {', '.join(PARTS)})")
    return chosen


def _read() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=Path, help="root directory of the other checkout")
    parser.add_argument("--only", type=_parts, default=list(PARTS), metavar="PART,…", help=f"of {', '.join(PARTS)}")
    parser.add_argument("--draws", type=int, default=500, metavar="N", help="draws of each generator (500)")
    parser.add_argument("--drawn", type=int, default=40, metavar="N", help="drawn tasks of each generator (40)")
    parser.add_argument("-n", type=int, default=2, dest="workers", metavar="N", help="workers (2)")
    parser.add_argument("-k", default="", dest="tasks", metavar="EXPRESSION", help="shipped tasks, as -k of pytest")
    options = parser.parse_args()
    if not (options.other / "pytest_netbench").is_dir():
        parser.error(f"{options.other} is no checkout of pytest-netbench")
    return options


def main() -> int:
    """Compare; return 1 if anything differs."""
    options = _read()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the folders are removed
    failed = False
    with tempfile.TemporaryDirectory(prefix="equal-") as name:
        for part in options.only:
            sides = []
            for side, root in (("other", options.other), ("here", HERE)):
                scratch = Path(name, part, side)
                scratch.mkdir(parents=True)
                sides.append(Checkout(root, side, scratch))
            with sides[0].unnoted(), sides[1].unnoted():
                failed |= not _passes(part, Comparison(*sides, options))
    return int(failed)


def _passes(part: str, comparison: Comparison) -> bool:
    """Run a part and print what differs."""
    count, found, broken = 0, list[Difference](), ""
    try:
        for compared, differing in getattr(comparison, part)():
            count += compared
            found += differing
    except Broken as error:
        broken = str(error)
    items = len({one.item for one in found})
    print(f"{part}: {count} compared, {items or 'none'} differ{'s' if items == 1 else ''}", flush=True)
    print("".join(f"  {line}\n" for line in (*table(found), *([broken] if broken else ()))), end="", flush=True)
    return bool(count) and not found and not broken


if __name__ == "__main__":
    sys.exit(main())
