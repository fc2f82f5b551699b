"""The error codes of all JSON-RPC interfaces of this package, each with its meaning: the only table of them.

JSON-RPC 2.0 (§5.1) defines the codes from -32700 to -32600 and leaves -32099 to -32000 to servers. Standard library
only: clients outside import it.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Self


class Code(IntEnum):
    """An error code on the wire. ``meaning`` says when it is sent."""

    meaning: str

    def __new__(cls, value: int, meaning: str) -> Self:
        code = int.__new__(cls, value)
        code._value_ = value
        code.meaning = meaning
        return code

    PARSE_ERROR = -32700, "the message is not JSON"
    INVALID_REQUEST = -32600, "the message is not a request, or is too large"
    METHOD_NOT_FOUND = -32601, "unknown method; the message names the known ones"
    INVALID_PARAMS = -32602, "wrong parameters, or an unknown device; the message names the known ones and the nearest"
    INTERNAL_ERROR = -32603, "the lab broke, or the server failed; the trial is an error and is not scored"
    POLICY_DENIED = -32000, "not permitted, more commands than are left, or the trial has ended"
    BUDGET_EXHAUSTED = -32001, "the budget is used up; `data` has `limit` and `allowed`"
    DEVICE_ERROR = -32002, "the device did not answer this request although its node is well"
