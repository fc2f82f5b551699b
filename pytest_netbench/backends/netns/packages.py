"""Archives of pure Python packages for the interpreter that nodes have, built once per user, package and interpreter.

Nodes see the host's ``/usr`` and no virtual environment. A package of the environment that runs pytest is therefore
compiled for ``/usr/bin/python3`` and put in an archive, from which it is imported about as fast as from files.
"""

from __future__ import annotations

import hashlib
import importlib.util
import shutil
import subprocess
import tempfile
import zipfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from pytest_netbench.errors import LabError, RequirementMissing
from pytest_netbench.native.build import cache_dir

INTERPRETER = Path("/usr/bin/python3")
_COMPILE_S = 120.0


def archive(package: str) -> Path:
    """Return the archive of the installed package ``package``.

    Raises:
        RequirementMissing: It is not installed.
        LabError: It cannot be compiled for the interpreter of nodes.
    """
    source = _source(package)
    key = hashlib.sha256("\0".join([package, _version(package), str(source), _interpreter()]).encode()).hexdigest()[:20]
    try:
        target = cache_dir() / f"{package}-{key}.zip"
        if not target.exists():
            _build(package, source, target)
    except (OSError, subprocess.SubprocessError) as error:
        raise LabError(f"the package {package} could not be compiled for {INTERPRETER}: {error}") from error
    return target


def _source(package: str) -> Path:
    found = importlib.util.find_spec(package)
    if found is None or found.origin is None:
        raise RequirementMissing(f"the Python package {package} is not installed", f"pip install {package}")
    return Path(found.origin).parent


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _interpreter() -> str:
    real = INTERPRETER.resolve()
    status = real.stat()
    return f"{real} {status.st_size} {status.st_mtime_ns}"


def _build(package: str, source: Path, target: Path) -> None:
    """Build beside the target and rename: whoever else builds it at the same time replaces it by an equal file."""
    with tempfile.TemporaryDirectory(dir=target.parent) as name:
        draft = Path(name)
        shutil.copytree(source, draft / package, ignore=shutil.ignore_patterns("tests", "__pycache__"))
        # -b puts each compiled module where its source is: the place in which an archive is searched for it
        command = [str(INTERPRETER), "-I", "-m", "compileall", "-q", "-b", str(draft / package)]
        subprocess.run(command, check=True, capture_output=True, timeout=_COMPILE_S)
        packed = draft / "packed.zip"
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as out:
            for path in sorted((draft / package).rglob("*")):
                if path.is_file() and path.suffix != ".py":
                    out.write(path, path.relative_to(draft))
        packed.chmod(0o644)
        packed.replace(target)
