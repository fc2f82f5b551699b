"""Requests are checked before anything happens."""

import jsonschema
import pytest

from pytest_netbench.ani.methods import METHODS, check_params, unknown_method
from pytest_netbench.errors import AniError


def test_the_methods_are_the_four_of_the_draft():
    assert tuple(METHODS) == ("get-topology", "get-running-cfg", "update-cfg", "execute-cmd")


@pytest.mark.parametrize("spec", METHODS.values(), ids=lambda spec: spec.name)
def test_each_method_carries_a_valid_json_schema(spec):
    jsonschema.Draft202012Validator.check_schema(spec.parameters)


def test_an_unknown_method_names_the_known_ones():
    error = unknown_method("reboot", known=METHODS)
    assert str(error).startswith("unknown method 'reboot' (known: 'get-topology', 'get-running-cfg',")
    assert error.code == -32601


@pytest.mark.parametrize(
    ("method", "params", "message"),
    [
        ("get-running-cfg", {}, "get-running-cfg: parameter 'device' is missing"),
        ("get-running-cfg", {"device": 7}, "'device' must be a string, not a number"),
        ("get-running-cfg", {"device": None}, "'device' must be a string, not null"),
        ("get-running-cfg", {"node": "R1"}, r"unknown parameter 'node' \(known: 'device', 'section', 'page'\)"),
        ("get-running-cfg", ["R1"], "params must be an object, not a list"),
        ("update-cfg", {"device": "R1", "commands": "no shut"}, "'commands' must be a list of strings, not a string"),
        ("update-cfg", {"device": "R1", "commands": [1]}, r"'commands\[1\]' must be a string, not a number"),
        ("update-cfg", {"device": "R1", "commands": ["x"] * 501}, "'commands' has 501 entries; at most 500"),
        (
            "execute-cmd",
            {"device": "R1", "command": "x" * 8193},
            "'command' is 8193 bytes long; at most 8192 in a line",
        ),
        ("execute-cmd", {"device": "R1", "command": "show\0"}, r"contains the control character '\\x00'"),
        ("execute-cmd", {"device": "R1", "command": "a\x0fb"}, r"contains the control character '\\x0f'"),
        (
            "execute-cmd",
            {"device": "R1", "command": "a\nconf t"},
            r"contains the control character '\\n'; give one line",
        ),
        ("execute-cmd", {"device": "R1", "command": "a\ud800"}, "contains the control character"),
        ("update-cfg", {"device": "R1", "commands": ["x" * 8000] * 40}, "has 320000 characters; at most 262144"),
        ("get-topology", {"devices": "R1"}, "'devices' must be a list of strings"),
    ],
)
def test_wrong_parameters_are_refused_and_say_what_is_right(method, params, message):
    with pytest.raises(AniError, match=message) as caught:
        check_params(method, params)
    assert caught.value.code == -32602


def test_a_configuration_command_may_span_lines_as_a_here_document_does():
    params = {"device": "h", "commands": ["nft -f - <<E\nflush ruleset\nE"]}
    assert check_params("update-cfg", params).plain() == params
