"""Images for containers, made on this machine from the distribution's own packages."""

from __future__ import annotations

import functools
import hashlib
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

from tests.integration.engine import Engine
from tests.support.programs import Build, NotToBeHad, Program, obtained

ROOT = Path(__file__).parents[2]
FRR = "netbench-integration:frr"
BASE = "netbench-integration:base-{version}"
NETBENCH = "netbench-integration:netbench"
_PACKAGES = "frr,iproute2,iputils-ping,procps,nftables,iptables,conntrack,traceroute,tcpdump"
# what it mounts meanwhile is none of the tests' beside it
_DEBOOTSTRAP = ("unshare", "--mount", "debootstrap", "--variant=minbase")
_LEFT_OUT = [
    f"./{place}/*" for place in ("proc", "sys", "var/cache", "var/lib/apt/lists", "usr/share/doc", "usr/share/locale")
]


def suite() -> str:
    """The release of this machine's distribution, e.g. ``bookworm``."""
    words = dict(line.split("=", 1) for line in Path("/etc/os-release").read_text().splitlines() if "=" in line)
    return words.get("VERSION_CODENAME", "stable").strip('"')


def _mirror() -> list[str]:
    """The mirror of the machine's own package sources."""
    places = [*Path("/etc/apt/sources.list.d").glob("*.sources"), *Path("/etc/apt").glob("sources.list")]
    for place in places:
        for line in place.read_text().splitlines():
            if line.startswith("URIs:"):
                return [line.split()[1]]
            if line.startswith("deb "):
                return [next(word for word in line.split() if "://" in word)]
    return []


def _make(build: Build) -> None:
    tree = build.folder / "tree"
    build.run(*_DEBOOTSTRAP, f"--include={_PACKAGES}", suite(), tree, *_mirror())
    left_out = [f"--exclude={pattern}" for pattern in _LEFT_OUT]
    build.run("tar", "-cf", build.folder / "image.tar", *left_out, "-C", tree, ".")
    build.run("rm", "-rf", "--one-file-system", tree)


_IMAGE = Program(
    name="frr-image",
    version=f"1-{suite()}",
    make=_make,
    needs={"debootstrap": "apt-get install debootstrap"},
    within_s=600,
)


def _dockerfile(pattern: str) -> list[str]:
    return re.findall(pattern, (ROOT / "container/Dockerfile").read_text(), re.DOTALL)


@functools.cache
def _packages() -> tuple[str, ...]:
    listed = " ".join(_dockerfile(r"--no-install-recommends (.*?)&& apt-get clean")).split()
    return tuple(dict.fromkeys(word for word in listed if word != "\\"))


def _key(*parts: str) -> str:
    return hashlib.sha256(" ".join(parts).encode()).hexdigest()[:12]


def extras() -> str:
    """The extras of the package that the image has by default."""
    (found,) = _dockerfile(r"ARG EXTRAS=([\w,]+)")
    return found


def _make_base(build: Build) -> None:
    # the engine has no network: apt finds the packages in its cache, and installs them while the image is built
    tree = build.folder / "tree"
    build.run(*_DEBOOTSTRAP, "--include=ca-certificates", suite(), tree, *_mirror())
    build.run("cp", "/etc/resolv.conf", tree / "etc/resolv.conf")
    build.run("chroot", tree, "apt-get", "update", "-q")
    install = ("apt-get", "install", "-y", "-q", "--no-install-recommends", "--download-only")
    build.run("chroot", tree, *install, *_packages(), DEBIAN_FRONTEND="noninteractive")
    build.run("tar", "-cf", build.folder / "image.tar", "-C", tree, ".")
    build.run("rm", "-rf", "--one-file-system", tree)


def _make_wheels(build: Build) -> None:
    system = subprocess.run(["/usr/bin/python3", "--version"], capture_output=True, text=True, check=False).stdout
    if not system.startswith(f"Python {sys.version_info.major}.{sys.version_info.minor}."):
        raise NotToBeHad(f"the image has {system.strip()}, and these tests run with {sys.version.split()[0]}")
    project = f"{ROOT}[{extras()}]"
    pip = (sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--prefer-binary")
    build.run(*pip, "-c", ROOT / "scripts/constraints.txt", "-w", build.folder, project)
    for own in build.folder.glob("pytest_netbench-*.whl"):
        own.unlink()


def _wheels_key() -> str:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = json.dumps([project["dependencies"], project["optional-dependencies"]])
    return _key(extras(), sys.version, wanted, (ROOT / "scripts/constraints.txt").read_text())


CONTAINER_BASE = Program(
    name="container-base",
    version=f"{suite()}-{_key(*_packages())}",
    make=_make_base,
    needs={"debootstrap": "apt-get install debootstrap"},
    within_s=600,
)
CONTAINER_WHEELS = Program(name="container-wheels", version=_wheels_key(), make=_make_wheels)


def netbench_image(engine: Engine, *, say: Callable[[str], None]) -> str:
    """Build the image of this checkout without a network; returns its name.

    Raises:
        NotToBeHad: What it is built from cannot be had here.
    """
    name = BASE.format(version=CONTAINER_BASE.version)
    if not engine.run("images", "-q", name).strip():
        _import(engine, obtained(CONTAINER_BASE, say=say) / "image.tar", name)
    say("building the image of this checkout")
    done = subprocess.run(
        ["scripts/image", "--build-arg", f"BASE={name}", "--build-arg", "PIP_NO_INDEX=1"],
        cwd=ROOT,
        env={
            **engine.environment,
            "NETBENCH_IMAGE": NETBENCH,
            "NETBENCH_WHEELS": str(obtained(CONTAINER_WHEELS, say=say)),
            "DOCKER_BUILDKIT": "0",  # the plugin that the newer builder needs is no part of Debian's docker.io
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return NETBENCH


def frr_image(engine: Engine, *, say: Callable[[str], None]) -> str:
    """Import the image with FRR and the tools of hosts; returns its name.

    Raises:
        NotToBeHad: It cannot be made here.
    """
    _import(engine, obtained(_IMAGE, say=say) / "image.tar", FRR)
    return FRR


def _import(engine: Engine, archive: Path, name: str) -> None:
    with archive.open("rb") as content:
        done = subprocess.run(
            ["docker", "import", "-", name], stdin=content, capture_output=True, env=engine.environment, check=False
        )
    assert done.returncode == 0, done.stderr.decode()
