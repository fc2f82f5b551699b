"""Trials that are executed in another process, from JSON."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from pytest_netbench.model.trial import TrialResult
from pytest_netbench.trial import TrialSpec

ROOT = Path(__file__).parents[2]
TIMES = ("latency",)
"""Scores that are measured by a clock."""
CODE = """\
import sys
from pytest_netbench.trial import TrialSpec, execute
print(execute(TrialSpec.model_validate_json(sys.stdin.read())).model_dump_json())
"""


def elsewhere(spec: TrialSpec, *paths: Path) -> TrialResult:
    """The result of ``spec`` in a fresh interpreter, which finds modules in ``paths`` too."""
    known = os.pathsep.join(map(str, (*paths, ROOT)))
    ended = subprocess.run(
        [sys.executable, "-c", CODE],
        input=spec.model_dump_json(),
        env={**os.environ, "PYTHONPATH": known},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return TrialResult.model_validate_json(ended.stdout)


def without_times(result: TrialResult) -> Any:
    """``result`` as plain values, without those that are measured by a clock."""
    scores = tuple(score for score in result.scores if score.metric not in TIMES)
    return _untimed(json.loads(result.model_copy(update={"scores": scores}).model_dump_json()))


def _untimed(value: Any) -> Any:
    if isinstance(value, dict):
        timed = {name for name in value if name == "started_at" or name.endswith("_s")}
        return {name: _untimed(one) for name, one in value.items() if name not in timed}
    return [_untimed(one) for one in value] if isinstance(value, list) else value
