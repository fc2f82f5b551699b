"""Files of nodes, written and read by the framework. Standard library only."""

from __future__ import annotations

import os

from pytest_netbench.backends.netns.supervisor import roots
from pytest_netbench.backends.netns.supervisor.network import Network
from pytest_netbench.backends.netns.supervisor.owner import Message

_LONGEST = 64 * 2**20


class Files:
    """Serves requests for files."""

    def __init__(self, network: Network) -> None:
        self._spaces = network.spaces

    def write(self, request: Message) -> Message:
        """Put files in place: path, text and mode of each."""
        root = self._spaces[request["node"]].root
        for path, text, mode in request["files"]:
            content = text.encode()
            handle = roots.open_file(root, path, os.O_WRONLY | os.O_CREAT, mode)
            with os.fdopen(handle, "wb") as file:
                file.truncate()
                file.write(content)
        return {}

    def read(self, request: Message) -> Message:
        """The text of a file."""
        handle = roots.open_file(self._spaces[request["node"]].root, request["path"], os.O_RDONLY)
        with os.fdopen(handle, "rb") as file:
            return {"text": file.read(_LONGEST).decode("utf-8", "replace")}
