"""The error codes of the ANI on the wire (JSON-RPC 2.0 §5.1 and its range for servers)."""

from __future__ import annotations

METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
POLICY_DENIED = -32000
"""Refused: not permitted, more commands than are left, or the trial has ended."""
BUDGET_EXHAUSTED = -32001
DEVICE_ERROR = -32002
"""The device did not answer the request."""
