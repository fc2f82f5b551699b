"""What `netbench gns3 serve` refuses before it installs anything, and the configuration that it writes."""

from __future__ import annotations

import configparser
import socket
import stat
from pathlib import Path

import pytest

from pytest_netbench.backends.gns3.serving import Local
from pytest_netbench.cli.main import main


def test_a_port_in_use_is_said_with_the_fix(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        assert main(["gns3", "serve", "--port", str(port)]) == 2
    assert capsys.readouterr().err == (
        f"netbench: port {port} of 127.0.0.1: Address already in use (fix: another one by --port)\n"
    )


def test_a_release_that_is_none_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["gns3", "serve", "--release", "latest; rm"]) == 2
    assert "--release latest; rm: expected a release of gns3-server, e.g. 3.0.6" in capsys.readouterr().err


def test_what_cannot_be_installed_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    assert main(["gns3", "serve", "--port", str(port), "--release", "3.0.999"]) == 3
    said = capsys.readouterr()
    assert "installing gns3-server 3.0.999" in said.out
    assert "netbench: gns3-server cannot be installed: ERROR: No matching distribution found" in said.err


@pytest.mark.parametrize("release", ["3.0.6", "2.2.61"])
def test_the_server_listens_on_this_machine_only_and_asks_for_a_password(tmp_path: Path, release: str) -> None:
    local = Local(release=release, port=3081, folder=tmp_path)
    parser = configparser.ConfigParser(interpolation=None)
    parser.read_string(local.configuration())
    assert (parser["Server"]["host"], parser["Server"]["port"]) == ("127.0.0.1", "3081")
    assert parser["Server"]["projects_path"] == str(tmp_path / "projects")
    password = (tmp_path / "password").read_text()
    named = parser["Controller"]["default_admin_password"] if local.is_new else parser["Server"]["password"]
    assert named == password == local.place.password
    assert stat.S_IMODE((tmp_path / "password").stat().st_mode) == 0o600
    assert len(password) > 10
