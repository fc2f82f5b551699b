"""What set-up asks of pyproject.toml and of pip's reports. Runs by the .venv's Python, with pip's own libraries.

extras [LEFT_OUT…]   the extras of "all" in pyproject.toml without some, separated by commas
build REPORT         which build of torch a report of `pip install --dry-run --report` is about: cpu or accelerated
size REPORT          how much the packages of a report are to download, in a person's words; nothing if it cannot be had
"""

from __future__ import annotations

import concurrent.futures
import json
import re
import sys
import tomllib
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

from pip._vendor.packaging.requirements import Requirement

# the libraries of CUDA, ROCm and Intel's accelerators, and the compiler for all of them
ACCELERATED = re.compile(r"nvidia|cuda|rocm|triton|^intel-|^dpcpp|^onemkl|^tcmlib", re.IGNORECASE)


def extras(*left_out: str) -> str:
    """Return the extras that "all" consists of, without ``left_out``."""
    project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
    (everything,) = project["optional-dependencies"]["all"]
    names = everything[everything.index("[") + 1 : everything.index("]")].split(",")
    if unknown := set(left_out) - set(names):
        sys.exit(f"pyproject.toml has no extra {min(unknown)!r} in 'all'")
    return ",".join(name for name in names if name not in left_out)


def build(report: str) -> str:
    """Return ``accelerated`` if torch is a build for GPUs or brings libraries for them, else ``cpu``."""
    (torch,) = (one["metadata"] for one in _packages(report) if one["metadata"]["name"].lower() == "torch")
    needed = [Requirement(text) for text in torch.get("requires_dist", [])]
    names = [one.name for one in needed if one.marker is None or one.marker.evaluate({"extra": ""})]
    local = torch["version"].partition("+")[2]
    return "accelerated" if any(map(ACCELERATED.search, names)) or (local and local != "cpu") else "cpu"


def size(report: str) -> str:
    """Return the sum of the sizes of a report's files; nothing if one of them cannot be asked for."""
    urls = [one["download_info"]["url"] for one in _packages(report)]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        try:
            total = sum(pool.map(_bytes, urls))
        except (OSError, KeyError, ValueError):
            return ""
    return f"{total / 1e9:.1f} GB" if total > 1e8 else f"{total / 1e6:.2g} MB"


def _bytes(url: str) -> int:
    if url.startswith("file:"):
        return Path(urllib.request.url2pathname(urllib.parse.urlsplit(url).path)).stat().st_size
    # a URL that pip is about to load a package from
    with urllib.request.urlopen(urllib.request.Request(url, method="HEAD"), timeout=10) as answer:  # noqa: S310
        return int(answer.headers["Content-Length"])


def _packages(report: str) -> list[dict[str, Any]]:
    packages: list[dict[str, Any]] = json.loads(Path(report).read_text(encoding="utf-8"))["install"]
    return packages


if __name__ == "__main__":
    print({"extras": extras, "build": build, "size": size}[sys.argv[1]](*sys.argv[2:]))
