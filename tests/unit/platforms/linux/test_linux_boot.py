from __future__ import annotations

from pytest_netbench.errors import StartupConfigRejected
from pytest_netbench.platforms.access import Completed
from pytest_netbench.platforms.linux.boot import rejection, script


def failed(stderr: str, returncode: int = 1) -> Completed:
    return Completed(stdout="", stderr=stderr, returncode=returncode)


def test_the_first_line_of_the_config_is_the_second_of_the_script():
    _, second, _ = script(["ip route add default via 10.0.0.1"]).split("\n")
    assert second == "ip route add default via 10.0.0.1"


def test_the_line_that_failed_is_named_with_the_commands_words():
    error = rejection(
        "h1", ["true", "ip link set nope up"], failed('Cannot find device "nope"\nnetbench-failed-at-line 3\n')
    )
    assert isinstance(error, StartupConfigRejected)
    assert str(error) == """h1: startup config line 2 was rejected: 'ip link set nope up': Cannot find device "nope\""""


def test_a_line_that_is_not_shell_is_named():
    error = rejection(
        "h1", ["if foo; fi"], failed("/bin/bash: -c: line 2: syntax error near unexpected token `fi'\n", 2)
    )
    assert str(error) == (
        "h1: startup config line 1 was rejected: 'if foo; fi': syntax error near unexpected token `fi'"
    )


def test_a_config_that_ends_itself_is_an_error_without_a_line():
    assert (
        str(rejection("h1", ["exit 4"], failed("", 4))) == "h1: the startup config ended with exit status 4: no output"
    )
