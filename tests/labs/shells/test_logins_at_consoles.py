"""Linux hosts whose console asks who is there."""

from __future__ import annotations

import shutil
import subprocess
from typing import Any

import pytest

from pytest_netbench.errors import LabError
from pytest_netbench.lab.consoles import Console, Credentials
from pytest_netbench.lab.shells.node import ShellNode
from pytest_netbench.model.topology import Node, Topology
from tests.support.pty_lines import PtyLine

PASSWORD = "s3cret words"
WITHIN_S = 60

pytestmark = pytest.mark.skipif(shutil.which("login") is None, reason="login is missing; fix: apt-get install login")


@pytest.fixture
def host(new_host: Any) -> Any:
    """A host whose root has a password."""
    found = new_host()
    hashed = subprocess.run(["openssl", "passwd", "-6", PASSWORD], check=True, capture_output=True, text=True).stdout
    shadow = f"root:{hashed.strip()}:19000:0:99999:7:::"
    found.run("sh", "-c", 'echo "$0" >/run/shadow; mount --bind /run/shadow /etc/shadow', shadow)
    return found


def console(host: Any, credentials: Credentials) -> Console:
    return Console("h", lambda: PtyLine([*host.entry, "login"]), credentials, within_s=WITHIN_S)


def test_a_shell_behind_a_login_runs_commands_and_takes_files(host: Any) -> None:
    line = console(host, Credentials(username="root", password=PASSWORD))
    node = ShellNode(
        name="h", platform="linux", topology=Topology(nodes=(Node(name="h"),)), connect=line.connect, has_one_line=True
    )
    node.prepare()
    assert node.run(["id", "-un"]).stdout == "root\n"
    node.write_file("/run/new/file", "a 'b' $c\n" * 500)
    assert node.read_file("/run/new/file") == "a 'b' $c\n" * 500
    assert node.shell("id -u", writable=False).stdout == "65534\n"
    # whoever is thrown out logs in again
    host.run("sh", "-c", "for p in $(pgrep -x bash); do [ $p = 1 ] || kill -9 $p; done")
    with pytest.raises(LabError):
        node.run(["true"], timeout_s=5)
    assert node.run(["cat", "/run/new/file"]).stdout.startswith("a 'b' $c\n")
    node.close()


def test_a_login_that_is_refused_says_so_without_the_password(host: Any) -> None:
    with pytest.raises(LabError, match="h: its console does not let user 'root' in") as refused:
        console(host, Credentials(username="root", password="wr0ng")).connect()
    assert "wr0ng" not in str(refused.value)
    with pytest.raises(LabError, match="h: its console asks for a user, and the table of kinds names none"):
        console(host, Credentials()).connect()
