"""Keys are not written, whatever text they stand in; words of configurations are."""

from __future__ import annotations

import pytest

from pytest_netbench.agents.cassettes.secrets import Redaction

LONG = "abcdefghij0123456789"


@pytest.mark.parametrize(
    "text",
    [
        f"sk-{LONG}",
        f"the key sk-proj-{LONG}-x was refused",
        f"ghp_{LONG}",
        f"AIza{LONG}{LONG}",
        "AKIAABCDEFGHIJKLMNOP",
        f"Authorization: Bearer {LONG}",
        '{"Authorization": "Basic dXNlcjpwYXNzd29yZA=="}',
        f"x-api-key: {LONG}",
        f'api_key="{LONG}"',
        "https://me:hunter2@host.example/v1",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJlMTIz",
    ],
)
def test_what_looks_like_a_key_is_replaced_once(text):
    redacted = Redaction({}).text(text)
    assert "[redacted " in redacted
    for secret in (LONG, "dXNlcjpwYXNzd29yZA", "hunter2", "ABCDEFGHIJKLMNOP", "eyJzdWIi"):
        assert secret not in redacted
    assert Redaction({}).text(redacted) == redacted


def test_the_value_of_a_key_in_the_environment_is_replaced_wherever_it_stands():
    redaction = Redaction({"MY_API_KEY": "the-value-of-my-key", "HOME": "/home/of-somebody", "OTHER_API_KEY": "cisco"})
    assert redaction.text("no the-value-of-my-key in /home/of-somebody, cisco") == (
        f"no {redaction.text('the-value-of-my-key')} in /home/of-somebody, cisco"
    )
    assert redaction.value({"a": ["the-value-of-my-key"]}) != {"a": ["the-value-of-my-key"]}


def test_fields_with_the_name_of_a_key_are_replaced():
    assert Redaction({}).value({"password": "short", "n": 1}) == {
        "password": Redaction({}).value({"password": "short"})["password"],
        "n": 1,
    }
    assert "short" not in str(Redaction({}).value({"password": "short"}))


@pytest.mark.parametrize(
    "text",
    [
        "username admin privilege 15 secret 5 $1$abcd$efghijklmnopqrstuv",
        "snmp-server community a-long-community-string RO",
        "key-string a-very-long-key-string-of-a-chain",
        "pkts-dropped-by-the-policy 0",
        "hf-link-to-the-headquarters-building",
        "crypto key generate rsa modulus 2048",
    ],
)
def test_words_of_configurations_stay(text):
    assert Redaction({}).text(text) == text


def test_two_keys_have_two_marks():
    assert Redaction({}).text(f"sk-{LONG}1") != Redaction({}).text(f"sk-{LONG}2")
