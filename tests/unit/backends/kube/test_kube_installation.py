"""Installations: whole or not at all, from a server on loopback."""

from __future__ import annotations

import http.server
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from pytest_netbench.backends.kube import binaries
from pytest_netbench.backends.kube.installation import releases
from pytest_netbench.backends.kube.installation.installing import Source, install
from pytest_netbench.errors import RequirementMissing, UsageError
from tests.support.kube_programs import publish, served

_GONE = releases.Sources(kubernetes="http://127.0.0.1:9/kubernetes", etcd="http://127.0.0.1:9/etcd")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "kube"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    root = tmp_path / "site"
    publish(root, "1.36.3")
    return root


def _left(place: Path) -> list[str]:
    return sorted(path.name for path in place.iterdir() if path.name != ".lock")


def test_a_release_is_installed_once_and_then_found(place: Path, site: Path) -> None:
    said: list[str] = []
    with served(site) as sources:
        folder = install("v1.36.3", say=said.append, sources=sources, place=place)
    assert folder == place / "1.36.3"
    found = binaries.find(folder)
    assert found.version == "1.36.3"
    assert binaries.version_of(found.etcd) == releases.ETCD
    assert [line.split()[1] for line in said if line.startswith("loading")] == [*binaries.KUBERNETES, "etcd"]
    again = install("1.36.3", say=said.append, sources=_GONE, place=place)
    assert again == folder
    assert said[-1] == f"Kubernetes 1.36.3 is installed in {folder}"


@pytest.mark.parametrize("file", ["kube-scheduler", "tar.gz"])
def test_a_wrong_checksum_ends_it_and_keeps_what_was_there(place: Path, site: Path, file: str) -> None:
    publish(site, "1.35.1")
    with served(site) as sources:
        kept = install("1.35.1", say=print, sources=sources, place=place)
        changed = next(path for path in site.rglob("*") if path.name.endswith(file) and "1.35" not in str(path))
        changed.write_bytes(changed.read_bytes() + b"#")
        # also where modules would be the other way: what somebody has changed is not passed over
        with pytest.raises(RequirementMissing, match=f"{file} has the SHA-256 checksum .* was published"):
            install("1.36.3", say=print, sources=sources, place=place)
    assert _left(place) == ["1.35.1"]
    assert binaries.find(kept).version == "1.35.1"


def test_a_release_that_does_not_exist_is_named(place: Path, site: Path) -> None:
    with served(site) as sources, pytest.raises(RequirementMissing, match=r"there is no .*v1\.99\.0.*--version"):
        install("1.99.0", say=print, sources=sources, place=place)
    assert _left(place) == []


@pytest.mark.parametrize("word", ["latest", "1.36", "../1.36.3"])
def test_what_is_no_release_is_refused_before_anything_is_made(place: Path, word: str) -> None:
    with pytest.raises(UsageError, match="is no release of Kubernetes"):
        install(word, say=print, place=place)
    assert not place.exists()


@pytest.mark.parametrize("source", ["release", None])
def test_without_a_network_and_go_one_sentence_says_what_is_missing(
    place: Path, source: Source | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    said: list[str] = []
    with pytest.raises(RequirementMissing) as error:
        install(say=said.append, sources=_GONE, source=source, place=place)
    assert error.value.lack == (
        f"{_GONE.kubernetes}/v1.36.3/bin/linux/{releases._architecture()}/kube-apiserver.sha256:"
        " [Errno 111] Connection refused"
        if source
        else "go is missing, by which Kubernetes is built from its modules"
    )
    assert (said == []) == (source is not None)
    assert _left(place) == []


def test_an_answer_that_ends_early_is_no_program(place: Path, site: Path) -> None:
    def cut(handler: http.server.SimpleHTTPRequestHandler) -> bool:
        if not handler.path.endswith("kubectl"):
            return False
        handler.send_response(200)
        handler.send_header("Content-Length", "1000")
        handler.end_headers()
        handler.wfile.write(b"#!/bin/sh")
        handler.close_connection = True
        return True

    with served(site, cut) as sources, pytest.raises(RequirementMissing, match=r"kubectl: .*(ended after 9|9 bytes)"):
        install(source="release", say=print, sources=sources, place=place)
    assert _left(place) == []


def test_a_server_with_another_release_under_this_name_is_not_believed(place: Path, site: Path) -> None:
    (site / "kubernetes/v1.36.3").rename(site / "kubernetes/v1.36.4")
    with served(site) as sources, pytest.raises(RequirementMissing, match=r"says that it is 1\.36\.3, .* 1\.36\.4"):
        install("1.36.4", say=print, sources=sources, place=place)
    assert _left(place) == []


def test_one_that_is_killed_leaves_nothing_that_is_used_and_the_next_one_removes_it(place: Path, site: Path) -> None:
    reached, go_on = threading.Event(), threading.Event()

    def wait(handler: http.server.SimpleHTTPRequestHandler) -> bool:
        if handler.path.endswith("kubectl"):
            reached.set()
            go_on.wait(20)
        return False

    with served(site, wait) as sources:
        code = (
            "from pathlib import Path; from pytest_netbench.backends.kube.installation import installing, releases;"
            f"installing.install(say=print, sources=releases.Sources({sources.kubernetes!r}, {sources.etcd!r}),"
            f" place=Path({str(place)!r}))"
        )
        with subprocess.Popen([sys.executable, "-c", code]) as victim:
            assert reached.wait(20)
            victim.send_signal(signal.SIGKILL)
        assert _left(place) == [".partial-1.36.3"]
        go_on.set()
        install(say=print, sources=sources, place=place)
    assert _left(place) == ["1.36.3"]


def test_of_two_at_once_one_waits_and_takes_what_the_other_has_installed(place: Path, site: Path) -> None:
    reached, go_on, asked, said = threading.Event(), threading.Event(), list[str](), list[str]()

    def wait(handler: http.server.SimpleHTTPRequestHandler) -> bool:
        asked.append(handler.path)
        if handler.path.endswith("kubectl"):
            reached.set()
            go_on.wait(20)
        return False

    with served(site, wait) as sources:
        first = threading.Thread(target=lambda: install(say=print, sources=sources, place=place))
        first.start()
        assert reached.wait(20)
        second = threading.Thread(target=lambda: install(say=said.append, sources=sources, place=place))
        second.start()
        until = time.monotonic() + 20
        while not said and time.monotonic() < until:
            time.sleep(0.01)
        go_on.set()
        first.join()
        second.join()
    assert said == [
        "another installation is under way; waiting for it",
        f"Kubernetes 1.36.3 is installed in {place / '1.36.3'}",
    ]
    assert len(asked) == len(set(asked))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(RequirementMissing, match=r"cannot be installed: .*Permission denied"):
        install(say=print, place=tmp_path / "kube")
