"""A real GNS3 server behind TLS, as one on another machine is."""

from __future__ import annotations

import contextlib
import os
import socket
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.integration.gns3 import Gns3, served
from tests.integration.test_gns3 import TASK
from tests.support.programs import NotToBeHad

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="the server is started in a namespace as root")
RELEASE = "3.0.6"


class TlsProxy:
    """Passes connections over TLS on to a port of this machine, until it is closed."""

    def __init__(self, port: int, folder: Path, name: str) -> None:
        self.certificate, key = folder / f"{name}.crt", folder / f"{name}.key"
        made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={name}"]
        files = ["-addext", f"subjectAltName=DNS:{name}", "-keyout", str(key), "-out", str(self.certificate)]
        subprocess.run([*made, *files], check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, key)
        self._port, self._context = port, context
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"https://localhost:{self._listener.getsockname()[1]}"
        self.passed = 0
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                peer, _ = self._listener.accept()
                threading.Thread(target=self._pass, args=(peer,), daemon=True).start()

    def _pass(self, peer: socket.socket) -> None:
        with contextlib.suppress(OSError), self._context.wrap_socket(peer, server_side=True) as inside:
            self.passed += 1
            with socket.create_connection(("127.0.0.1", self._port)) as server:
                back = threading.Thread(target=_relay, args=(server, inside), daemon=True)
                back.start()
                _relay(inside, server)
                back.join()


def _relay(source: socket.socket, sink: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)


@pytest.fixture(scope="module")
def gns3(say: Callable[[str], None], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gns3]:
    try:
        with served(tmp_path_factory.mktemp("gns3"), RELEASE, say) as one:
            (one.folder / "printer.task.yaml").write_text(TASK)
            yield one
    except NotToBeHad as error:
        pytest.skip(str(error))


@pytest.fixture
def proxied(gns3: Gns3, tmp_path: Path) -> Iterator[Callable[[str], TlsProxy]]:
    made: list[TlsProxy] = []

    def proxy(name: str) -> TlsProxy:
        made.append(TlsProxy(gns3.port, tmp_path, name))
        return made[-1]

    yield proxy
    for one in made:
        one.close()


def test_a_server_behind_tls_serves_a_task_if_its_certificate_is_trusted(
    gns3: Gns3, proxied: Callable[[str], TlsProxy]
) -> None:
    proxy = proxied("localhost")
    task, trusted = str(gns3.folder / "printer.task.yaml"), {"NETBENCH_GNS3_CA": str(proxy.certificate)}
    shown, results = gns3.pytest(task, "--agent=oracle", NETBENCH_GNS3=proxy.url, **trusted)
    assert [one["status"] for one in results] == ["passed"], shown
    assert proxy.passed > 10
    assert gns3.projects() == []


def test_a_certificate_that_is_unknown_or_of_another_name_is_an_error_with_the_fix(
    gns3: Gns3, proxied: Callable[[str], TlsProxy]
) -> None:
    known, other = proxied("localhost"), proxied("gns3.example")
    task = str(gns3.folder / "printer.task.yaml")
    shown, results = gns3.pytest(task, "--agent=nop", "-rs", NETBENCH_GNS3=known.url)
    assert f"{known.url}: its certificate is not trusted: self-signed certificate" in " ".join(shown.split())
    assert "(fix: a file with its certificate in NETBENCH_GNS3_CA)" in " ".join(shown.split())
    assert results == []
    said = gns3.netbench(
        "doctor", "--backend", "gns3", NETBENCH_GNS3=other.url, NETBENCH_GNS3_CA=str(other.certificate)
    )
    assert "its certificate is not trusted: Hostname mismatch, certificate is not valid for 'localhost'" in said
    assert [known.passed, other.passed] == [0, 0]
    said = gns3.netbench("doctor", "--backend", "gns3", NETBENCH_GNS3=known.url, NETBENCH_GNS3_CA="/nothing.crt")
    assert "NETBENCH_GNS3_CA=/nothing.crt: No such file or directory" in said


def test_a_compute_that_the_server_does_not_have_is_named_before_anything_is_made(gns3: Gns3) -> None:
    task = str(gns3.folder / "printer.task.yaml")
    shown, results = gns3.pytest(task, "--agent=nop", "-rs", NETBENCH_GNS3_COMPUTE="far")
    assert "the GNS3 server has no compute 'far' (known: local" in " ".join(shown.split())
    assert results == []
    assert gns3.projects() == []
