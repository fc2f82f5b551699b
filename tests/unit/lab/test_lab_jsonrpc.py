"""Framing and dispatch hold for any input."""

import io
import json

from hypothesis import given
from hypothesis import strategies as st

from pytest_netbench.errors import AniError
from pytest_netbench.lab.jsonrpc import MAX_MESSAGE_BYTES, Dispatch, messages

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
VALUES = st.recursive(
    SCALARS, lambda one: st.lists(one, max_size=3) | st.dictionaries(st.text(max_size=5), one, max_size=3)
)
REQUESTS = st.fixed_dictionaries(
    {"method": st.sampled_from(["echo", "refuse", "break"])},
    optional={"jsonrpc": st.sampled_from(["2.0", "1.0"]), "id": VALUES, "params": VALUES},
)


def handler(method, params):
    if method == "refuse":
        raise AniError("no", code=-32000)
    if method == "break":
        raise KeyError(method)
    return {"echo": 1}


@given(REQUESTS | VALUES | st.lists(REQUESTS, max_size=4))
def test_any_json_value_gets_an_answer_that_is_json_or_none(value):
    answer = Dispatch(handler).answer(json.dumps(value).encode())
    if answer is not None:
        json.dumps(answer, allow_nan=False)
        for one in answer if isinstance(answer, list) else [answer]:
            assert ("error" in one) or ("result" in one) or one == {"echo": 1}


@given(st.binary(max_size=200))
def test_any_bytes_get_an_answer(data):
    for message in messages(io.BytesIO(data)):
        assert message is not None
        Dispatch(handler).answer(message)


@given(st.lists(VALUES, max_size=5), st.sampled_from([None, 1, 2]))
def test_what_is_written_one_text_after_another_is_read_so_on_one_line_or_several(values, indent):
    containers = [value for value in values if isinstance(value, dict | list)]
    texts = [json.dumps(value, indent=indent) for value in containers]
    read = [json.loads(message) for message in messages(io.BytesIO("".join(f"{text}\n" for text in texts).encode()))]
    assert json.dumps(read) == json.dumps(containers)


def test_blank_lines_between_messages_are_nothing():
    assert [json.loads(message) for message in messages(io.BytesIO(b"\n\n1\n\n  \n2\n\n"))] == [1, 2]


def test_a_last_message_without_newline_is_read():
    assert list(messages(io.BytesIO(b'{"a":1}'))) == [b'{"a":1}']


def test_reading_ends_at_a_message_that_is_too_large():
    many_lines = b"{\n" + b'"a": 1,\n' * (MAX_MESSAGE_BYTES // 8)
    assert list(messages(io.BytesIO(many_lines))) == [None]
