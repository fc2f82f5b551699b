#!/usr/bin/env python3
"""ani: the network of this task, from a shell. Needs Python 3.9 or newer and nothing else.

ani brief                                     the task in words
ani logins                                    how to log in to its devices by SSH, as JSON
ani get-topology [DEVICE…]                    devices and links
ani get-running-cfg DEVICE                    a configuration
ani execute-cmd DEVICE COMMAND                run a command that changes nothing
ani update-cfg DEVICE LINE…                   configure; "-" reads the lines from standard input
ani budget-left                               what is left of each limit
ani task-done [REASONING]                     say that the task is done, and what was configured and why
ani submit [PARAMETER…]                       hand in the answer that a task asks for
ani call METHOD [PARAMETER…]                  any other request
ani is-open                                   whether the lab is ready for requests, as the exit status
ani check FILE | ani check-by-key KEY         for the verifier: end the work, print its rewards

A parameter is NAME=TEXT, NAME:=JSON, NAME=@FILE for the text of a file or NAME:=@FILE for the JSON in it. Instead of
all of them, one JSON object, or "-" for one from standard input.
"""

from __future__ import annotations

import inspect
import json
import os
import sys
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

LAB = os.environ.get("NETBENCH_LAB", "http://lab:7070")


def opened(path: str, content: bytes | None = None, *, timeout_s: float) -> Any:
    """The lab's answer to a request: a POST of JSON if there is content."""
    headers = {} if content is None else {"Content-Type": "application/json"}
    # LAB is ours
    return urllib.request.urlopen(urllib.request.Request(LAB + path, content, headers), timeout=timeout_s)  # noqa: S310


def post(path: str, content: bytes) -> Any:
    """What the lab answers to a request; ends with its error."""
    try:
        with opened(path, content, timeout_s=3600) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        text = error.read().decode(errors="replace")
        try:
            text = json.loads(text)["error"]
        except (ValueError, KeyError, TypeError):
            text = text or str(error)
        sys.exit(f"ani: {text}")
    except OSError as error:
        sys.exit(f"ani: no lab answers at {LAB}: {error}")


def call(method: str, params: dict[str, Any]) -> Any:
    """The result of a method of the ANI; ends with its error."""
    request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    answer = post("/rpc", json.dumps(request).encode())
    if "error" in answer:
        sys.exit(f"ani: {answer['error']['message']}")
    return answer["result"]


def lines(words: list[str]) -> list[str]:
    """Lines of a configuration, from words or from standard input."""
    return sys.stdin.read().splitlines() if words == ["-"] else words


def configured(device: str, commands: list[str]) -> int:
    """Configure a device and print what it says; 1 if it refused a line."""
    results = call("update-cfg", {"device": device, "commands": commands})["results"]
    for one in results:
        print(f"{one['status']:8} {one['command']}")
        if one.get("message"):
            print(f"         {one['message']}")
    return int(any(one["status"] == "error" for one in results))


def parameters(words: list[str]) -> dict[str, Any]:
    """What the words of a request say; ends with what is wrong with them."""
    if len(words) == 1 and (words[0] == "-" or words[0].lstrip().startswith("{")):
        found = parsed(sys.stdin.read() if words[0] == "-" else words[0])
        if not isinstance(found, dict):
            sys.exit("ani: parameters are a JSON object")
        return found
    named = {}
    for word in words:
        name, sign, value = word.partition("=")
        if not sign or not name.rstrip(":"):
            sys.exit(f"ani: {word!r} is not NAME=TEXT, NAME:=JSON, NAME=@FILE or NAME:=@FILE")
        text = content(value[1:]) if value.startswith("@") else value
        named[name.rstrip(":")] = parsed(text) if name.endswith(":") else text
    return named


def content(path: str) -> str:
    """The text of a file; ends with why it cannot be read."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        sys.exit(f"ani: {path} cannot be read: {error}")


def parsed(text: str) -> Any:
    """What a JSON text says; ends with what is wrong with it."""
    try:
        return json.loads(text)
    except ValueError as error:
        sys.exit(f"ani: this is no JSON: {error}")


def is_open() -> bool:
    """Whether the lab takes requests."""
    try:
        with opened("/health", timeout_s=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def commands() -> dict[str, Callable[..., str]]:
    """What each command prints."""
    return {
        "brief": lambda: call("get-brief", {})["text"],
        "logins": lambda: shown(call("get-brief", {})["brief"]["ssh"]),
        "get-topology": lambda *devices: shown(call("get-topology", {"devices": list(devices)})),
        "get-running-cfg": lambda device: call("get-running-cfg", {"device": device})["running_config"],
        "execute-cmd": lambda device, word, *more: call(
            "execute-cmd", {"device": device, "command": " ".join([word, *more])}
        )["output"],
        "budget-left": lambda: shown(call("budget-left", {})),
        "task-done": lambda *words: shown(call("task-done", {"reasoning": " ".join(words)} if words else {})),
        "submit": lambda *words: shown(call("task-done", {"answer": parameters(list(words))})),
        "call": lambda method, *words: shown(call(method, parameters(list(words)))),
        "check": lambda file: shown(post("/checks", content(file).encode())),
        "check-by-key": lambda key: shown(post("/checks", key.encode())),
    }


def shown(data: Any) -> str:
    """JSON for people and programs."""
    return json.dumps(data, indent=1)


def main(words: list[str]) -> int:
    """Do what the words say; returns the exit status."""
    if not words or words[0] in {"-h", "--help"}:
        print((__doc__ or "").strip())
        return 0
    what, rest = words[0], words[1:]
    if what == "update-cfg" and len(rest) >= 2:
        return configured(rest[0], lines(rest[1:]))
    if words == ["is-open"]:
        return int(not is_open())
    known = commands()
    try:
        inspect.signature(known[what]).bind(*rest)
    except (KeyError, TypeError):
        sys.exit("ani: wrong words; ani --help says which there are")
    print(known[what](*rest))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
