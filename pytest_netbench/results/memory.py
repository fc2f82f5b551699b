"""Verdicts of self-tests, kept from one run to the next so that an interrupted run continues where it was.

They are in ``.netbench/cache/selftest/SLUG-DIGEST.jsonl``. The digest covers all that can change a verdict: the task,
the backend, the versions of the platforms and the source of this package.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest_netbench
from pytest_netbench.errors import ResultsError
from pytest_netbench.model.task import Task, digest_of
from pytest_netbench.results.files import append_line
from pytest_netbench.results.recorded import versions_of
from pytest_netbench.text import plain_json

FOLDER = Path(".netbench", "cache", "selftest")
_WITHOUT_EFFECT = ("cli", "plugin", "reporting", "stats", "agents", "results")
"""Packages whose source has no effect on what is measured."""


class KeptVerdicts:
    """The verdicts on one task.

    Args:
        root: Where ``.netbench`` is, or is made.
        task: The task.
        also: What else determines the verdicts, e.g. the backend. JSON values.
        fresh: Read nothing of what was kept; what is measured now is kept.
    """

    def __init__(self, root: Path, task: Task, *, also: Any = None, fresh: bool = False) -> None:
        basis = digest_of([task.digest, task.proof_digest, versions_of(task), source_digest(), also])
        self._path = root / FOLDER / f"{task.slug}-{basis}.jsonl"
        self._known: dict[str, Any] = {} if fresh else _read(self._path)
        self._writable = True
        self.reused = 0
        """Verdicts that were not measured again."""

    def get(self, *key: Any) -> Any | None:
        """What was kept under ``key``; ``None`` if nothing was."""
        value = self._known.get(digest_of(key))
        self.reused += value is not None
        return value

    def put(self, *key: Any, value: Any) -> None:
        """Keep ``value``. A folder that cannot be written keeps nothing: the next run measures again."""
        name = digest_of(key)
        self._known[name] = value
        if not self._writable:
            return
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            append_line(self._path, plain_json({"key": name, "value": value}))
        except (OSError, ResultsError):
            self._writable = False


@cache
def source_digest() -> str:
    """Digest of the source files of this package that can affect what a self-test measures."""
    root = Path(pytest_netbench.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(one for one in root.rglob("*") if one.suffix in {".py", ".c"}):
        where = path.relative_to(root)
        if where.parts[0] not in _WITHOUT_EFFECT:
            digest.update(f"{where}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _read(path: Path) -> dict[str, Any]:
    """The entries of a file; a torn or foreign line is measured again."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return {}
    known: dict[str, Any] = {}
    for line in lines:
        try:
            entry = json.loads(line)
            known[entry["key"]] = entry["value"]
        except (ValueError, KeyError, TypeError):
            continue
    return known
