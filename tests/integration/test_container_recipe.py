"""Labs in a Docker container, with the options that docs/how-to/install.md gives and without them."""

from __future__ import annotations

import io
import re
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.engine import Engine

ROOT = Path(__file__).parents[2]
IMAGE = "netbench-integration:host"
MERGED = ("bin", "sbin", "lib", "lib32", "lib64")
FOLDERS = ("usr", "etc", "proc", "sys", "dev", "run", "var", "root", "home", "tmp", "work")


def documented() -> list[str]:
    """The options of the page."""
    section = (ROOT / "docs/how-to/install.md").read_text().partition("## In a container\n")[2].partition("\n## ")[0]
    (command,) = re.findall(r"^    docker run (.*) …$", section, re.MULTILINE)
    return str(command).split()


def skeleton() -> bytes:
    """A root file system with nothing in it but links into /usr, which is the machine's own."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as archive:
        for name in FOLDERS:
            folder = tarfile.TarInfo(name)
            folder.type, folder.mode = tarfile.DIRTYPE, 0o1777 if name in {"tmp", "work"} else 0o755
            archive.addfile(folder)
        for name in MERGED:
            if Path(f"/{name}").is_symlink():
                link = tarfile.TarInfo(name)
                link.type, link.linkname = tarfile.SYMTYPE, f"usr/{name}"
                archive.addfile(link)
        for name, text in {"passwd": "root:x:0:0::/root:/bin/sh\nme:x:1000:1000::/tmp:/bin/sh\n"}.items():
            file = tarfile.TarInfo(f"etc/{name}")
            file.size, file.mode = len(text), 0o644
            archive.addfile(file, io.BytesIO(text.encode()))
    return content.getvalue()


def mounts() -> list[str]:
    """The machine's programs, this Python with its packages, and this checkout, all read-only."""
    places = {Path(sys.prefix), Path(sys.base_prefix), ROOT, *(Path(one) for one in sys.path if one)}
    wanted = sorted({Path("/usr"), Path("/etc/alternatives"), *(place for place in places if place.is_dir())})
    tops = [one for one in wanted if not any(other != one and one.is_relative_to(other) for other in wanted)]
    return [word for place in tops for word in ("-v", f"{place}:{place}:ro")]


@pytest.fixture(scope="module")
def image(docker: Engine) -> Iterator[str]:
    if not Path("/bin").is_symlink():
        pytest.skip("/bin is no link into /usr on this distribution, so its programs cannot be lent to a container")
    docker.run("import", "-", IMAGE, stdin=skeleton())
    yield IMAGE
    docker.run("rmi", "-f", IMAGE)


def inside(docker: Engine, image: str, options: list[str], command: str) -> str:
    """What a command prints in a container, as an ordinary user, with its exit status at the end."""
    netbench = f'netbench() {{ {sys.executable} -m pytest_netbench.cli "$@"; }}'
    words = ["run", "--rm", "--network", "none", "--user", "1000:1000", "-w", "/work", "-e", "HOME=/tmp"]
    words += ["-e", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", *mounts(), *options, image, "sh", "-c"]
    return docker.run(*words, f"{netbench}; ({command}); echo status $?", check=False)


def test_with_the_documented_options_a_task_is_solved_by_an_ordinary_user(docker, image):
    task = "tasks/routing/default-route-for-a-shop.task.yaml"
    run = f"{sys.executable} -m pytest {task} --agent=oracle -p no:cacheprovider"
    seen = inside(docker, image, documented(), f"netbench doctor && netbench init bench && cd bench && {run}")
    assert seen.endswith("status 0\n"), seen
    assert "1 passed" in seen


def test_without_them_doctor_says_what_is_missing_and_how_to_get_it(docker, image):
    seen = inside(docker, image, [], "netbench doctor")
    assert seen.endswith("status 1\n"), seen
    for option in documented()[1::2]:
        assert option in seen, seen
