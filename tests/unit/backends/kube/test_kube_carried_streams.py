"""Streams of a command in a pod: when its client is gone nobody waits for a descriptor any more."""

from __future__ import annotations

import asyncio
import os

from pytest_netbench.backends.kube.gateway.channels import Gone
from pytest_netbench.backends.kube.gateway.commands import _carry_all


class GoneChannels:
    """Channels to a client that is gone."""

    async def send(self, channel, data):
        raise Gone


def test_a_stream_is_not_waited_for_once_the_client_of_another_is_gone():
    async def carry():
        pipes = [os.pipe() for _ in range(2)]
        for reader, _ in pipes:
            os.set_blocking(reader, False)
        task = asyncio.create_task(_carry_all(GoneChannels(), [(1, pipes[0][0]), (2, pipes[1][0])]))
        await asyncio.sleep(0.05)
        os.write(pipes[0][1], b"x")
        await asyncio.wait([task], timeout=5)
        watched = [asyncio.get_running_loop().remove_reader(reader) for reader, _ in pipes]
        for one in pipes:
            for fd in one:
                os.close(fd)
        return task.exception(), watched

    error, watched = asyncio.run(carry())
    assert error is not None
    assert watched == [False, False]
