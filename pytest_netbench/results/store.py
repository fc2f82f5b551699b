"""The results directory: one line per result, full transcripts, final configs.

run.json                    what was run, with what
results-<worker>.jsonl      trials as they began, and results as they happened, appended to by one process each
results.jsonl               all of them, merged
shard.json                  of a shard: which one, and the partition
merged.json                 of several directories that were merged: from what, and what is missing
transcripts/<trial>.json    the full TrialRecord
sealed/<trial>.sealed       instead of it, for a sealed task: result and record, encrypted
configs/<trial>/<node>.cfg  final running configs, for people
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from pydantic import ValidationError

from pytest_netbench import __version__
from pytest_netbench.errors import ResultsError, UsageError
from pytest_netbench.model.trial import TrialRecord, TrialResult
from pytest_netbench.results.files import append_line, replace_file, safe_name
from pytest_netbench.results.lines import Attempt, attempt_of, joined, latest_of, line_of, problem_of, results_in
from pytest_netbench.results.opened import OpenTrial, note, without_result
from pytest_netbench.text import plain_json

MERGED = "results.jsonl"


@dataclass(frozen=True, kw_only=True)
class Contents:
    """Results of a directory, one for each node id and trial, sorted by them.

    ``torn`` names incomplete lines (``results-gw0.jsonl:7``): the process that wrote them was killed. ``open`` are
    trials that have begun and have no result: the run was cut off, or still goes on. ``not_run`` are trials that were
    skipped.
    """

    results: tuple[TrialResult, ...]
    torn: tuple[str, ...] = ()
    open: tuple[OpenTrial, ...] = ()
    not_run: tuple[OpenTrial, ...] = ()


class ResultsDir:
    """A results directory. Any number of processes may share it, each under its own worker name."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def create(cls, path: Path) -> ResultsDir:
        """Make the directory if it does not exist, and check that it is writable.

        Raises:
            UsageError: It cannot be made or written to.
        """
        probe = path / f".writable.{os.getpid()}"
        try:
            path.mkdir(parents=True, exist_ok=True)
            probe.touch()
            probe.unlink()
        except OSError as error:
            what = (
                "not a directory"
                if error.errno in {errno.EEXIST, errno.ENOTDIR}
                else f"not writable ({error.strerror})"
            )
            raise UsageError(
                f"the results directory is {what}; give one that is: --netbench-results DIR", path=path
            ) from error
        return cls(path)

    def describe(self, *, argv: Iterable[str], versions: Mapping[str, str]) -> None:
        """Write ``run.json``, if this is the directory's first run: arguments, start (UTC), versions.

        Raises:
            ResultsError: It cannot be written.
        """
        path = self.path / "run.json"
        if path.exists():
            return
        started = datetime.now(UTC).isoformat(timespec="seconds")
        about = {"argv": list(argv), "started_at": started, "versions": {"netbench": __version__, **versions}}
        replace_file(path, plain_json(about, indent=2) + "\n")

    def begin(self, trial: OpenTrial, *, worker: str) -> None:
        """Keep that a trial has begun, or was not run after all.

        Raises:
            ResultsError: It cannot be written.
        """
        note(self.path / f"results-{worker}.jsonl", trial)

    def append(self, result: TrialResult, record: TrialRecord | None, *, worker: str) -> TrialResult:
        """Keep a result and, if there is one, its record; returns the result with the transcript's path.

        If the record cannot be kept, the result still is.

        Raises:
            ResultsError: Something cannot be written.
        """
        trouble: ResultsError | None = None
        if record is not None:
            try:
                result = result.model_copy(update={"transcript": self._keep(record)})
            except ResultsError as error:
                result = result.model_copy(update={"transcript": None})
                trouble = error
        append_line(self.path / f"results-{worker}.jsonl", line_of(result))
        if trouble is not None:
            raise trouble
        return result

    def append_sealed(self, result: TrialResult, details: str, *, worker: str) -> None:
        """Keep the public result of a sealed task, and its sealed details in the file that it names.

        If the details cannot be kept, the result still is.

        Raises:
            ResultsError: Something cannot be written.
        """
        assert result.sealed is not None
        path = self.path / result.sealed
        try:
            _make_room(path)
            replace_file(path, details)
        except ResultsError:
            append_line(self.path / f"results-{worker}.jsonl", line_of(result.model_copy(update={"sealed": None})))
            raise
        append_line(self.path / f"results-{worker}.jsonl", line_of(result))

    def merge(self) -> None:
        """Write ``results.jsonl`` from everything that was appended; repeating it changes nothing.

        Of each result the line is kept until all are read, which takes a tenth of the memory.

        Raises:
            ResultsError: It cannot be written, or a file holds what is not a result.
        """
        lines: dict[Attempt, str] = {}
        for result in self._appended([], []):
            key = attempt_of(result)
            earlier = lines.get(key)
            whole = result if earlier is None else joined(TrialResult.model_validate_json(earlier), result)
            lines[key] = line_of(whole)
        self._replace(latest_of(lines))

    def write(self, results: Iterable[TrialResult]) -> None:
        """Write ``results.jsonl``.

        Raises:
            ResultsError: It cannot be written.
        """
        self._replace(map(line_of, results))

    def _replace(self, lines: Iterable[str]) -> None:
        replace_file(self.path / MERGED, "".join(f"{line}\n" for line in lines))

    def results(self) -> tuple[TrialResult, ...]:
        """All results, as ``merge`` would write them."""
        return self.read().results

    def read(self) -> Contents:
        """All results, and which lines were torn.

        Raises:
            ResultsError: A file cannot be read or holds what is not a result.
        """
        attempts: dict[Attempt, TrialResult] = {}
        torn: list[str] = []
        begun: list[OpenTrial] = []
        for result in self._appended(torn, begun):
            key = attempt_of(result)
            attempts[key] = joined(attempts[key], result) if key in attempts else result
        without = without_result(begun, attempts.values())
        return Contents(
            results=tuple(latest_of(attempts)),
            torn=tuple(torn),
            open=tuple(one for one in without if not one.closed),
            not_run=tuple(one for one in without if one.closed),
        )

    def _appended(self, torn: list[str], begun: list[OpenTrial]) -> Iterator[TrialResult]:
        for path in [self.path / MERGED, *sorted(self.path.glob("results-*.jsonl"))]:
            yield from results_in(path, torn, begun)

    def record_of(self, result: TrialResult) -> TrialRecord | None:
        """The full record behind a result, or ``None`` if none was kept.

        Raises:
            ResultsError: It was kept, and cannot be read.
        """
        if result.transcript is None:
            return None
        path = self.path / result.transcript
        try:
            return TrialRecord.model_validate_json(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise ResultsError(f"{path}: the transcript cannot be read: {error.strerror}") from error
        except ValidationError as error:
            raise ResultsError(
                f"{path}: not a transcript that netbench {__version__} can read: {problem_of(error)}"
            ) from error

    def _keep(self, record: TrialRecord) -> str:
        relative = transcript_path(record.node_id, record.trial)
        path = self.path / relative
        _make_room(path)
        replace_file(path, plain_json(record.model_dump(mode="json"), indent=1) + "\n")
        for node, text in record.final_configs.items():
            replace_file(self.path / "configs" / path.stem / f"{_node_file(node)}.cfg", text)
        return relative


def transcript_path(node_id: str, trial: int) -> str:
    """Where the latest record of a trial is kept, relative to the results directory."""
    return f"transcripts/{safe_name(node_id, trial)}.json"


def sealed_path(node_id: str, trial: int) -> str:
    """Where the latest sealed details of a trial are kept, relative to the results directory."""
    return f"sealed/{safe_name(node_id, trial)}.sealed"


def _make_room(path: Path) -> None:
    """Move the record of an earlier attempt (``--reruns``, a second run into the directory) aside."""
    if not path.exists():
        return
    number = 1
    while (aside := path.with_name(f"{path.stem}~{number}{path.suffix}")).exists():
        number += 1
    path.rename(aside)


def _node_file(node: str) -> str:
    plain = node.replace("-", "").replace("_", "").isalnum() and node.isascii()
    return node if plain else safe_name(node)
