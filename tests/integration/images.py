"""Images for containers, made on this machine from the distribution's own packages."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

from tests.integration.engine import Engine
from tests.support.programs import Build, Program, obtained

FRR = "netbench-integration:frr"
_PACKAGES = "frr,iproute2,iputils-ping,procps,nftables,iptables,conntrack,traceroute,tcpdump"
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
    build.run("debootstrap", "--variant=minbase", f"--include={_PACKAGES}", suite(), tree, *_mirror())
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


def frr_image(engine: Engine, *, say: Callable[[str], None]) -> str:
    """Import the image with FRR and the tools of hosts; returns its name.

    Raises:
        NotToBeHad: It cannot be made here.
    """
    with (obtained(_IMAGE, say=say) / "image.tar").open("rb") as archive:
        done = subprocess.run(
            ["docker", "import", "-", FRR], stdin=archive, capture_output=True, env=engine.environment, check=False
        )
    assert done.returncode == 0, done.stderr.decode()
    return FRR
