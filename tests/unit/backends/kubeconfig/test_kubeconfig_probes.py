"""The program that sends probes in pods, run here on loopback."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack

from pytest_netbench.backends.kubeconfig import batches
from pytest_netbench.backends.kubeconfig.batches import Try, Work

HERE = "127.0.0.1"


def free(kind: socket.SocketKind) -> int:
    with socket.socket(socket.AF_INET, kind) as one:
        one.bind((HERE, 0))
        return int(one.getsockname()[1])


def command(tries: dict[int, Try], work: Work, *, for_s: float = 1.5) -> list[str]:
    return [sys.executable, *batches.command(work, tries, for_s=for_s, timeout_s=0.3)[1:]]


def run(*commands: Sequence[str]) -> list[list[object]]:
    """Run them side by side."""
    with ExitStack() as stack:
        running = [stack.enter_context(subprocess.Popen(one, stdout=subprocess.PIPE, text=True)) for one in commands]
        return [json.loads(one.communicate(timeout=30)[0]) for one in running]


def test_a_listener_in_one_pod_answers_flows_of_another() -> None:
    ports = {"tcp": free(socket.SOCK_STREAM), "udp": free(socket.SOCK_DGRAM)}
    tries = {number: Try("a", name, HERE, port, "b", port) for number, (name, port) in enumerate(ports.items())}
    parts = dict(batches.works(tries))
    assert parts["b"].ports == {*ports.items()}
    sent, _ = run(command(tries, parts["a"]), command(tries, parts["b"], for_s=3))
    results = [batches.result_of(one) for one in sent]
    assert [(one.delivered, one.answered) for one in results] == [(True, True)] * 2


def test_where_nobody_listens_is_refused_and_tried_again_if_somebody_should() -> None:
    tcp, udp = free(socket.SOCK_STREAM), free(socket.SOCK_DGRAM)
    tries = {0: Try("a", "tcp", HERE, tcp, "b", tcp), 1: Try("a", "udp", HERE, udp, None, None)}
    ((_, work), _) = batches.works(tries)
    (sent,) = run(command(tries, work, for_s=0.6))
    results = {number: batches.result_of(one) for number, one in enumerate(sent)}
    assert {one.detail for one in results.values()} == {"refused"}
    assert not any(one.delivered for one in results.values())
    assert [*batches.refused(results, [0, 1], tries)] == [0]


def test_a_server_that_is_there_answers_in_place_of_a_listener_and_silence_is_no_answer() -> None:
    with socket.create_server((HERE, 0)) as server, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as mute:
        mute.bind((HERE, 0))
        port, silent = server.getsockname()[1], mute.getsockname()[1]
        tries = {0: Try("a", "tcp", HERE, port, "a", port), 1: Try("a", "udp", HERE, silent, "a", silent)}
        ((_, work),) = batches.works(tries)
        (sent,) = run(command(tries, work))
    results = [batches.result_of(one) for one in sent]
    assert results[0].delivered
    assert (results[1].detail, results[1].answered) == ("no answer", False)


def test_commands_stay_short_however_many_flows_there_are() -> None:
    tries = {number: Try("a", "tcp", f"10.96.{number % 250}.7", 1024 + number, None, None) for number in range(400)}
    parts = [*batches.works(tries)]
    assert sorted(number for _, work in parts for number in work.flows) == [*range(400)]
    for _, work in parts:
        assert sum(map(len, batches.command(work, tries, for_s=1, timeout_s=1))) < 8000
