"""Errors of a GNS3 server, each with a sentence. A stand-in answers; tests/integration asks real servers."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

import pytest

from pytest_netbench.backends.gns3 import projects
from pytest_netbench.backends.gns3.backend import Gns3Backend
from pytest_netbench.backends.gns3.projects import Project
from pytest_netbench.backends.gns3.server import Denied, Place, Refused, Server, Unreachable
from pytest_netbench.errors import LabError, RequirementMissing, UsageError
from pytest_netbench.lab.owners import Owner
from pytest_netbench.lab.protocols import Cleaned, Cleans, Serves

Answer = tuple[int, Any]
OURS = Owner.here().to_json()


class StandIn:
    """Answers by method and path; ``None`` hangs, a text is sent as it is, and then the connection ends."""

    def __init__(self, release: str = "3.0.6") -> None:
        api = "/v3" if release.startswith("3") else "/v2"
        self.answers: dict[tuple[str, str], Callable[[Any], Answer | str | None]] = {
            ("GET", f"{api}/version"): lambda _: (200, {"version": release}),
            ("POST", "/v3/access/users/authenticate"): self._authenticated,
            ("GET", f"{api}/computes"): lambda _: (200, []),
            ("GET", f"{api}/projects"): lambda _: (200, []),
        }
        self.tokens = 0
        self.asked: list[tuple[str, str, str]] = []
        self.ends = Event()
        stand_in = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self) -> None:
                stand_in._answer(self)

            do_GET = do_POST = do_PUT = do_DELETE = answer  # noqa: N815

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    @property
    def place(self) -> Place:
        url = f"http://127.0.0.1:{self._server.server_port}"
        return Place(url=url, user="admin", password="right", timeout_s=0.5, named=True)

    def _authenticated(self, asked: Any) -> Answer:
        if asked != {"username": "admin", "password": "right"}:
            return 401, {"message": "Authentication was unsuccessful."}
        self.tokens += 1
        return 200, {"access_token": f"t{self.tokens}"}

    def _answer(self, handler: BaseHTTPRequestHandler) -> None:
        body = handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
        key = (handler.command, handler.path)
        self.asked.append((*key, handler.headers.get("Authorization") or ""))
        found = self.answers.get(key, lambda _: (404, {"detail": "Not Found"}))(json.loads(body or b"null"))
        if found is None:
            self.ends.wait(10)
        elif isinstance(found, str):
            handler.wfile.write(found.encode())
            handler.close_connection = True
        else:
            text = json.dumps(found[1]).encode()
            handler.send_response(found[0])
            handler.send_header("Content-Length", str(len(text)))
            handler.end_headers()
            handler.wfile.write(text)

    def close(self) -> None:
        self.ends.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def stand_in(request: pytest.FixtureRequest) -> Iterator[StandIn]:
    one = StandIn(getattr(request, "param", "3.0.6"))
    yield one
    one.close()


def test_a_server_of_release_3_is_asked_with_a_token(stand_in: StandIn) -> None:
    server = Server(stand_in.place)
    assert (server.release, server.is_new) == ("3.0.6", True)
    assert server.get("/projects") == []
    assert stand_in.asked[-1] == ("GET", "/v3/projects", "Bearer t1")


@pytest.mark.parametrize("stand_in", ["2.2.61"], indirect=True)
def test_a_server_of_release_2_is_asked_with_user_and_password(stand_in: StandIn) -> None:
    server = Server(stand_in.place)
    assert (server.release, server.is_new) == ("2.2.61", False)
    assert stand_in.asked[-1] == ("GET", "/v2/computes", "Basic YWRtaW46cmlnaHQ=")


def test_a_compute_is_found_by_its_number_or_name_and_the_servers_own_is_always_there(stand_in: StandIn) -> None:
    computes = [{"compute_id": "c1", "name": "far"}]
    stand_in.answers["GET", "/v3/computes"] = lambda _: (200, computes)
    for named, found in (("c1", "c1"), ("far", "c1"), ("local", "local")):
        assert Server(replace(stand_in.place, compute=named)).compute() == found
    with pytest.raises(RequirementMissing) as caught:
        Server(replace(stand_in.place, compute="near")).compute()
    assert caught.value.lack == "the GNS3 server has no compute 'near' (known: local, far)"
    assert caught.value.remedy == "name one in NETBENCH_GNS3_COMPUTE"


def test_a_token_that_has_ended_is_replaced_once(stand_in: StandIn) -> None:
    server = Server(stand_in.place)
    stand_in.answers["GET", "/v3/projects"] = lambda _: (200, []) if stand_in.tokens > 1 else (401, {})
    assert server.get("/projects") == []
    assert stand_in.asked[-1] == ("GET", "/v3/projects", "Bearer t2")


def test_a_wrong_password_is_said_without_it(stand_in: StandIn) -> None:
    wrong = Place(url=stand_in.place.url, user="admin", password="wr0ng")
    with pytest.raises(Denied) as caught:
        Server(wrong)
    assert str(caught.value) == (
        f"{wrong.url} does not let user 'admin' in (fix: set NETBENCH_GNS3_USER and NETBENCH_GNS3_PASSWORD)"
    )
    assert "wr0ng" not in repr(wrong)


@pytest.mark.parametrize("stand_in", ["2.1.21"], indirect=True)
def test_a_release_that_is_too_old_is_named_with_the_oldest_that_is_not(stand_in: StandIn) -> None:
    with pytest.raises(Refused, match=r"is GNS3 2\.1\.21, too old: 2\.2 is the oldest that is accepted"):
        Server(stand_in.place)


def test_a_server_that_hangs_is_said_to_hang_at_what_it_was_asked(stand_in: StandIn) -> None:
    server = Server(stand_in.place)
    stand_in.answers["POST", "/v3/projects"] = lambda _: None
    began = time.monotonic()
    with pytest.raises(Unreachable, match=r"POST /v3/projects: no answer within 0\.5 s"):
        server.post("/projects")
    assert time.monotonic() - began < 5


@pytest.mark.parametrize(
    "text",
    [
        "",
        "HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{",
    ],
)
def test_a_server_that_dies_midway_is_said_to_have_ended_its_answer(stand_in: StandIn, text: str) -> None:
    server = Server(stand_in.place)
    stand_in.answers["GET", "/v3/templates"] = lambda _: text
    with pytest.raises(Unreachable, match="GET /v3/templates: the server ended its answer midway"):
        server.get("/templates")


def test_a_refusal_is_said_in_the_server_s_words(stand_in: StandIn) -> None:
    server = Server(stand_in.place)
    stand_in.answers["POST", "/v3/nodes"] = lambda _: (409, {"message": "TCP port 5000 is\nalready in use"})
    with pytest.raises(Refused, match=r"POST /v3/nodes: TCP port 5000 is already in use \(status 409\)"):
        server.post("/nodes")


def test_another_server_is_no_gns3_server(stand_in: StandIn) -> None:
    stand_in.answers.clear()
    with pytest.raises(Unreachable, match="is no GNS3 server"):
        Server(stand_in.place)
    stand_in.answers["GET", "/v3/version"] = lambda _: "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>"
    with pytest.raises(Unreachable, match="the answer is no JSON, so this is no GNS3 server"):
        Server(stand_in.place)


def test_an_address_that_is_none_is_wrong_usage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NETBENCH_GNS3", "localhost:3080")
    with pytest.raises(UsageError, match="NETBENCH_GNS3=localhost:3080: expected the address of a GNS3 server"):
        Place.of_environment()


# ---- projects and their owners ----


def project(name: str, owner: str | None) -> dict[str, Any]:
    variables = [{"name": "netbench-owner", "value": owner}] if owner is not None else None
    return {"name": name, "project_id": f"id-{name}", "variables": variables}


@pytest.fixture
def backend(stand_in: StandIn, monkeypatch: pytest.MonkeyPatch) -> Gns3Backend:
    place = stand_in.place
    monkeypatch.setenv("NETBENCH_GNS3", place.url)
    monkeypatch.setenv("NETBENCH_GNS3_USER", place.user)
    monkeypatch.setenv("NETBENCH_GNS3_PASSWORD", place.password)
    return Gns3Backend()


def test_only_projects_whose_owner_has_ended_are_deleted(stand_in: StandIn, backend: Gns3Backend) -> None:
    ended = OURS.replace(Owner.here().boot, "another-boot")
    foreign = OURS.replace(Owner.here().machine, "another machine")
    there = {
        name: project(name, owner)
        for name, owner in (
            ("netbench-ended", ended),
            ("netbench-ours", OURS),
            ("netbench-foreign", foreign),
            ("netbench-of-nobody", None),
            ("netbench-nonsense", "{}"),
            ("my-project", None),
        )
    }
    stand_in.answers["GET", "/v3/projects"] = lambda _: (200, [*there.values()])

    def deleted(_: Any) -> Answer:
        del there["netbench-ended"]
        return 204, None

    stand_in.answers["DELETE", "/v3/projects/id-netbench-ended"] = deleted
    found = backend.clean()
    assert found.removed == ("netbench-ended",)
    (sentence,) = found.left_alone
    assert sentence == (
        f"project netbench-foreign, which process {Owner.here().pid} on machine owns: "
        "whether that runs cannot be seen from here"
    )
    assert [path for method, path, _ in stand_in.asked if method == "DELETE"] == ["/v3/projects/id-netbench-ended"]
    assert isinstance(backend, Cleans)
    assert isinstance(backend, Serves)


def test_a_project_that_stays_is_an_error(stand_in: StandIn) -> None:
    server = Server(stand_in.place)
    stand_in.answers["DELETE", "/v3/projects/id-x"] = lambda _: (204, None)
    stand_in.answers["GET", "/v3/projects"] = lambda _: (200, [project("x", OURS)])
    with pytest.raises(LabError, match=r"project x of http://\S+ could not be deleted"):
        projects.remove(server, Project("x", "id-x"))


def test_where_nobody_named_a_server_there_is_nothing_to_clean(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NETBENCH_GNS3", raising=False)
    monkeypatch.setattr("pytest_netbench.backends.gns3.server.DEFAULT_URL", "http://127.0.0.1:9")
    assert Gns3Backend().clean() == Cleaned()
    monkeypatch.setenv("NETBENCH_GNS3", "http://127.0.0.1:9")
    with pytest.raises(Unreachable, match="no GNS3 server answers: Connection refused"):
        Gns3Backend().clean()
