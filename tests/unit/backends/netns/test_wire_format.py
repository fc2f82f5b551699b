"""Messages between the owner of a lab and its supervisor."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pytest_netbench.backends.netns.supervisor import wire_format

_json = st.none() | st.booleans() | st.integers() | st.text(max_size=20) | st.lists(st.text(max_size=5), max_size=3)


@given(messages=st.lists(st.dictionaries(st.text(max_size=5), _json, max_size=3), max_size=4), size=st.integers(1, 64))
def test_messages_come_out_as_they_went_in_however_they_are_cut(messages: list[dict[str, object]], size: int) -> None:
    data = b"".join(wire_format.encode(message) for message in messages)
    decoder = wire_format.Decoder()
    out = [message for start in range(0, len(data), size) for message in decoder.feed(data[start : start + size])]
    assert out == messages


def test_a_message_that_is_not_whole_yet_waits() -> None:
    data = wire_format.encode({"id": 1})
    decoder = wire_format.Decoder()
    assert decoder.feed(data[:-1]) == []
    assert decoder.feed(data[-1:]) == [{"id": 1}]
