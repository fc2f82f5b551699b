"""What the program of a pod notes of the calls that it makes, and how that is read."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest

from pytest_netbench.lab.kubernetes import calls
from pytest_netbench.lab.kubernetes.pod import caller
from pytest_netbench.lab.kubernetes.pod.caller import KEPT_CALLS, Record, call, status_of


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(caller, "CALLS", str(tmp_path / "calls"))
    return tmp_path / "calls"


def test_calls_are_read_as_they_were_noted(file: Path) -> None:
    record = Record()
    record.add(12.5, "http://web.shop:80", 200, "")
    record.add(13.0, "grpc://cart.shop:7070", None, "timed out")
    record.write()
    first, second = calls.parse(file.read_text())
    assert (first.began, first.url, first.status, first.error) == (12.5, "http://web.shop:80", 200, None)
    assert (second.began, second.url, second.status, second.error) == (13.0, "grpc://cart.shop:7070", None, "timed out")
    assert second.total_ms > 0


def test_the_file_is_bounded_whatever_is_called(file: Path) -> None:
    record = Record()
    for number in range(3 * KEPT_CALLS):
        record.add(float(number), "x" * 10_000, None, "y" * 10_000)
    record.write()
    found = calls.parse(file.read_text())
    assert [one.began for one in found] == [float(number) for number in range(2 * KEPT_CALLS, 3 * KEPT_CALLS)]
    assert file.stat().st_size < 300 * KEPT_CALLS


def test_a_record_that_has_not_changed_is_not_written_again(file: Path) -> None:
    record = Record()
    record.write()
    assert not file.exists()
    record.add(1.0, "redis://store.shop:6379", None, "")
    record.write()
    file.unlink()
    record.write()
    assert not file.exists()


@pytest.mark.parametrize("text", ["", "[", "null", "{}", "[1]", '[["a"]]', '[["a", "b", 1, 2, ""]]', "[[1, 2]]"])
def test_what_is_no_record_has_no_calls(text: str) -> None:
    assert [*calls.parse(text)] == []


def test_more_than_a_program_keeps_is_not_read() -> None:
    text = json.dumps([[number, "http://a:1", None, 1, ""] for number in range(10 * KEPT_CALLS)])
    assert len(calls.parse(text)) == KEPT_CALLS


def test_an_answer_by_http_has_a_status_and_others_have_none() -> None:
    assert status_of(b"HTTP/1.1 503 Service Unavailable\r\n\r\n") == 503
    assert status_of(b"+PONG\r\n") is None
    assert status_of(b"HTTP/1.1 ") is None
    assert status_of(b"") is None


def test_a_call_that_nobody_takes_is_refused() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    assert call("127.0.0.1", port, "http") == ("connection refused", None)
