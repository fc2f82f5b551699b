"""The attacks of this folder once more, in labs of an ordinary user."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.labs.netns import test_ordinary_user as ordinary
from tests.support.ordinary_paths import within_reach

interpreter = ordinary.interpreter
_REPOSITORY = Path(__file__).parents[3]
_ATTACKS = {
    "test_attacks_get_a_verdict.py": "nothing or 70000 or alias or 2147483647 or 99999 or repeat",
    "test_limits_of_a_lab.py": "preload or keeps or cut or host_name or disks or flood_of_routes",
    "test_random_agents.py": "agent",
}


@pytest.mark.skipif(os.geteuid() != 0, reason="all tests run as an ordinary user already")
@pytest.mark.parametrize("file", _ATTACKS)
def test_the_attacks_of_an_ordinary_users_agent_end_the_same(file: str, interpreter: str, tmp_path: Path) -> None:
    site = Path(next(path for path in sys.path if path.endswith("site-packages")))
    tmp_path.chmod(0o755)
    here = tmp_path / "here"
    here.mkdir()
    os.chown(here, ordinary._UID, ordinary._UID)
    with within_reach(_REPOSITORY, site) as (become, (repository, imports)):
        done = _attacked(file, [*become(ordinary._UID), interpreter], repository, imports, here)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert "passed" in done.stdout
    assert "skipped" not in done.stdout


def _attacked(
    file: str, start: list[str], repository: Path, imports: Path, here: Path
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [
            *start,
            "-B",
            "-m",
            "pytest",
            f"{repository}/tests/labs/isolation/{file}",
            f"--rootdir={repository}",
            f"--config-file={repository}/pyproject.toml",
            "-q",
            "-p",
            "no:cacheprovider",
            "--timeout=120",
            "-k",
            _ATTACKS[file],
            f"--basetemp={here}/tmp",
        ],
        env={
            "PYTHONPATH": f"{repository}:{imports}",
            "PATH": os.environ["PATH"],
            "HOME": str(here),
            "TMPDIR": str(here),
            "NETBENCH_RANDOM_AGENTS": "5",
            "NETBENCH_RANDOM_SEED": "1000",
            "PYTHONDONTWRITEBYTECODE": "1",
        },
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
    )
