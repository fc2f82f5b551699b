"""The runtime API of a running ``simple_switch``. The only module that imports thriftpy2, at first use.

The switch listens in its node only; the connection is a socket of that node's network.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import resources
from importlib.util import find_spec
from typing import Any, Final

from pytest_netbench.errors import LabError, RequirementMissing
from pytest_netbench.platforms.access import NodeAccess
from pytest_netbench.platforms.capabilities import SOCKETS
from pytest_netbench.platforms.p4.encoding import Match

PORT: Final = 9090
LIBRARY: Final = "thriftpy2"
LIBRARY_COMMAND: Final = "pip install 'pytest-netbench[p4]'"
_TIMEOUT_S: Final = 15.0
_CONTEXT: Final = 0
# switches boot in several threads, and errors of one loaded interface are not those of another one
_LOADING: Final = threading.Lock()
_KINDS: Final = ("exact", "lpm", "ternary", "valid", "range")


class Refused(Exception):
    """The switch refused a request; the text is its reason."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """An entry of a table. ``priority`` is ``None`` in tables without priorities."""

    handle: int
    match: tuple[Match, ...]
    priority: int | None
    action: str
    data: tuple[bytes, ...]

    @property
    def match_values(self) -> tuple[tuple[bytes, int], ...]:
        """What it matches, for comparison."""
        return tuple((one.value, one.second) for one in self.match)


@dataclass(frozen=True, kw_only=True)
class Count:
    """The value of a counter."""

    packets: int
    bytes: int


@dataclass(frozen=True, kw_only=True)
class Port:
    """A port of a switch with its interface."""

    number: int
    interface: str


def missing() -> bool:
    """Whether the library is not installed."""
    return find_spec(LIBRARY) is None


@contextmanager
def connected(node: NodeAccess) -> Iterator[Runtime]:
    """Connect to the switch of a node.

    Raises:
        RequirementMissing: thriftpy2 is not installed.
        LabError: The switch does not answer.
    """
    if missing():
        raise RequirementMissing(f"{LIBRARY} is not installed (fix: {LIBRARY_COMMAND})")
    from thriftpy2.transport import TTransportException  # an optional extra

    with node.capability(SOCKETS).tcp_socket() as socket:
        socket.settimeout(_TIMEOUT_S)
        try:
            socket.connect(("127.0.0.1", PORT))
            yield Runtime(_client(socket))
        except (OSError, TTransportException) as error:
            raise LabError(f"{node.name}: the P4 switch does not answer: {error}") from error


def _client(socket: Any) -> Any:
    from thriftpy2.protocol import TBinaryProtocol, TMultiplexedProtocol
    from thriftpy2.thrift import TClient
    from thriftpy2.transport import TBufferedTransport, TSocket

    transport = TBufferedTransport(TSocket(sock=socket))
    return TClient(_api().Standard, TMultiplexedProtocol(TBinaryProtocol(transport), "standard"))


def _api() -> Any:
    with _LOADING:
        return _loaded()


@cache
def _loaded() -> Any:
    import thriftpy2

    with resources.as_file(resources.files(__package__) / "simple_switch.thrift") as path:
        return thriftpy2.load(str(path), module_name="simple_switch_thrift")


class Runtime:
    """Requests to a switch. Each raises ``Refused`` if the switch refuses it."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def entries(self, table: str) -> list[Entry]:
        return [_entry(one) for one in self._call("bm_mt_get_entries", table)]

    def default(self, table: str) -> tuple[str, tuple[bytes, ...]] | None:
        """The default action with its parameters."""
        found = self._call("bm_mt_get_default_entry", table)
        return (found.action_name, tuple(found.action_data or ())) if found.action_name else None

    def add(
        self, table: str, key: Sequence[Match], action: str, data: Sequence[bytes], *, priority: int | None = None
    ) -> None:
        self._call("bm_mt_add_entry", table, _key(key), action, list(data), _options(priority))

    def handle(self, table: str, key: Sequence[Match], *, priority: int | None = None) -> int:
        found = self._call("bm_mt_get_entry_from_key", table, _key(key), _options(priority))
        return int(found.entry_handle)

    def modify(self, table: str, handle: int, action: str, data: Sequence[bytes]) -> None:
        self._call("bm_mt_modify_entry", table, handle, action, list(data))

    def delete(self, table: str, handle: int) -> None:
        self._call("bm_mt_delete_entry", table, handle)

    def clear(self, table: str) -> None:
        """Delete all entries; the default stays."""
        self._call("bm_mt_clear_entries", table, False)

    def set_default(self, table: str, action: str, data: Sequence[bytes]) -> None:
        self._call("bm_mt_set_default_action", table, action, list(data))

    def reset_default(self, table: str) -> None:
        self._call("bm_mt_reset_default_entry", table)

    def hits(self, table: str, handle: int) -> Count:
        """The counter of an entry."""
        return _count(self._call("bm_mt_read_counter", table, handle))

    def reset_hits(self, table: str) -> None:
        """Set the counters of all entries of a table to 0."""
        self._call("bm_mt_reset_counters", table)

    def count(self, counter: str, index: int) -> Count:
        return _count(self._call("bm_counter_read", counter, index))

    def reset_counter(self, counter: str) -> None:
        self._call("bm_counter_reset_all", counter)

    def registers(self, array: str) -> list[int]:
        return list(self._call("bm_register_read_all", array))

    def write_register(self, array: str, index: int, value: int) -> None:
        self._call("bm_register_write", array, index, value)

    def reset_registers(self, array: str) -> None:
        self._call("bm_register_reset", array)

    def ports(self) -> list[Port]:
        found = self._client.bm_dev_mgr_show_ports()
        ports = (Port(number=one.port_num, interface=one.iface_name) for one in found)
        return sorted(ports, key=lambda one: one.number)

    def _call(self, method: str, *arguments: Any) -> Any:
        api = _api()
        try:
            return getattr(self._client, method)(_CONTEXT, *arguments)
        except api.InvalidTableOperation as error:
            raise Refused(_name(api.TableOperationErrorCode, error.code)) from error
        except (api.InvalidCounterOperation, api.InvalidRegisterOperation) as error:
            raise Refused(f"error {error.code}") from error


def _name(codes: Any, code: int) -> str:
    """The name of a code of an enumeration."""
    names = {value: name for name, value in vars(codes).items() if name.isupper() and not name.startswith("_")}
    return str(names.get(code, f"error {code}"))


def _options(priority: int | None) -> Any:
    return _api().BmAddEntryOptions(priority=priority)


def _count(value: Any) -> Count:
    return Count(packets=value.packets, bytes=value.bytes)


def _key(key: Sequence[Match]) -> list[Any]:
    return [_parameter(one) for one in key]


def _parameter(one: Match) -> Any:
    api = _api()
    kind = _KINDS.index(one.kind)
    size = len(one.value)
    if one.kind == "lpm":
        return api.BmMatchParam(type=kind, lpm=api.BmMatchParamLPM(key=one.value, prefix_length=one.second))
    if one.kind == "ternary":
        value = api.BmMatchParamTernary(key=one.value, mask=one.second.to_bytes(size))
        return api.BmMatchParam(type=kind, ternary=value)
    if one.kind == "range":
        value = api.BmMatchParamRange(start=one.value, end_=one.second.to_bytes(size))
        return api.BmMatchParam(type=kind, range=value)
    if one.kind == "valid":
        return api.BmMatchParam(type=kind, valid=api.BmMatchParamValid(key=any(one.value)))
    return api.BmMatchParam(type=kind, exact=api.BmMatchParamExact(key=one.value))


def _entry(one: Any) -> Entry:
    key = tuple(_match(part) for part in one.match_key)
    has_priority = any(part.kind in {"ternary", "range"} for part in key)
    return Entry(
        handle=one.entry_handle,
        match=key,
        priority=one.options.priority if has_priority else None,
        action=one.action_entry.action_name,
        data=tuple(one.action_entry.action_data or ()),
    )


def _match(part: Any) -> Match:
    kind: Any = _KINDS[part.type]
    if kind == "lpm":
        return Match(kind=kind, value=part.lpm.key, second=part.lpm.prefix_length)
    if kind == "ternary":
        return Match(kind=kind, value=part.ternary.key, second=int.from_bytes(part.ternary.mask))
    if kind == "range":
        return Match(kind=kind, value=part.range.start, second=int.from_bytes(part.range.end_))
    if kind == "valid":
        return Match(kind=kind, value=bytes([part.valid.key]))
    return Match(kind=kind, value=part.exact.key)
