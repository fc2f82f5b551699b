"""The programs built from their public Go modules, where released ones cannot be fetched."""

from __future__ import annotations

import json
import re
import shutil
from importlib import resources
from pathlib import Path
from typing import Final

from pytest_netbench.backends.kube.binaries import NAMES
from pytest_netbench.backends.kube.installation import commands
from pytest_netbench.backends.kube.installation.downloads import Say
from pytest_netbench.errors import RequirementMissing

_GO: Final = "install Go, from https://go.dev/dl or the distribution's packages"
_REACH: Final = "let `go` reach a module proxy: go env GOPROXY"
_MODULE: Final = "k8s.io/kubernetes"
_SAY_EACH_S: Final = 20
_ENV: Final = {"CGO_ENABLED": "0", "GOWORK": "off"}
_VERSION: Final = "k8s.io/component-base/version"


def build(version: str, folder: Path, *, say: Say) -> None:
    """Build the programs of a release into an empty folder: one file, by five names.

    Raises:
        RequirementMissing: There is no Go, no such release, no way to its modules, or no space.
    """
    if shutil.which("go") is None:
        raise RequirementMissing("go is missing, by which Kubernetes is built from its modules", _GO)
    source = folder / "source"
    source.mkdir()
    say(f"loading the modules of Kubernetes {version}")
    (source / "go.mod").write_text(_requirements(version, source), encoding="utf-8")
    program = resources.files("pytest_netbench.backends.kube.installation").joinpath("main.go.txt").read_text("utf-8")
    (source / "main.go").write_text(program, encoding="utf-8")
    commands.run(["go", "mod", "tidy"], folder=source, env=_ENV, remedy=_REACH)
    packages = commands.run(["go", "list", "-deps", "."], folder=source, env=_ENV, remedy=_REACH).count("\n")
    say(f"compiling {packages} packages, which takes some minutes")
    _compile(version, source, packages, say)
    (source / "kube").rename(folder / NAMES[0])
    for name in NAMES[1:]:
        (folder / name).hardlink_to(folder / NAMES[0])
    shutil.rmtree(source)


def _compile(version: str, source: Path, packages: int, say: Say) -> None:
    said = 0.0

    def each(compiled: int, seconds: float) -> None:
        nonlocal said
        if seconds - said >= _SAY_EACH_S:
            said = seconds
            say(f"compiled {compiled} of at most {packages} packages after {seconds:.0f} s")

    major, minor, _ = version.split(".", 2)
    values = {"gitVersion": f"v{version}", "gitMajor": major, "gitMinor": minor}
    linker = " ".join(["-s", "-w", *(f"-X {_VERSION}.{name}={value}" for name, value in values.items())])
    commands.run(
        ["go", "build", "-v", "-trimpath", "-buildvcs=false", "-ldflags", linker, "-o", "kube", "."],
        folder=source,
        env=_ENV,
        each=each,
        remedy=_GO,
    )


def _requirements(version: str, folder: Path) -> str:
    """Return a go.mod: the release, its staging modules as they are published, and the etcd that it is a client of."""
    said = commands.run(
        ["go", "mod", "download", "-json", f"{_MODULE}@v{version}"], folder=folder, env=_ENV, remedy=_REACH
    )
    text = Path(json.loads(said[said.index("{") :])["GoMod"]).read_text(encoding="utf-8")
    staged = re.findall(r"^\s*(?:replace\s+)?(k8s\.io/\S+) => \./staging/", text, re.MULTILINE)
    own, client = re.search(r"^go (\S+)", text, re.MULTILINE), re.search(r"go\.etcd\.io/etcd/client/v3 (\S+)", text)
    if own is None or client is None or not staged:
        raise RequirementMissing(f"{_MODULE} {version} is not made as those that can be built here", "--version")
    released = f"v0.{version.split('.', 1)[1]}"
    lines = [f"module netbench.local/kube\n\ngo {own[1]}\n\nrequire {_MODULE} v{version}"]
    lines.append(f"require go.etcd.io/etcd/server/v3 {client[1]}")
    lines += [f"replace {name} => {name} {released}" for name in sorted(set(staged)) if "sample" not in name]
    return "\n".join(lines) + "\n"
