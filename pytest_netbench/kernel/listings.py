"""Which listings that need a capability only read, for agents that have none.

An argument list is run, without a shell, only if all its words are known to be read-only. Standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

_WORD = re.compile(r"[A-Za-z0-9_.:/-]{1,64}")
# flows and columns: 10.0.0.1 alone is a word, ip,nw_dst=10.0.0.1 is more
_MATCH = re.compile(r"[A-Za-z0-9_.:/,=-]{1,256}")
_SEPARATOR = "\x1f"
_LONGEST = 4096

_NFT_FLAGS = frozenset(
    "-a -n -nn -nnn -s -j -y -N -S -p -u -T -t --handle --json --stateless --numeric --terse --numeric-priority".split()
)
_NFT_OBJECTS = frozenset(
    "ruleset table tables chain chains set sets map maps rules meter meters counter counters quota quotas limit limits "
    "flowtable flowtables hooks inet ip ip6 arp bridge netdev".split()
)
_IPTABLES_FLAGS = frozenset(
    "-L -S --list --list-rules -n --numeric -v -vv --verbose -x --exact --line-numbers -w --wait".split()
)
_SAVE_FLAGS = frozenset("-c --counters".split())
_TABLES = frozenset("filter nat mangle raw security".split())
_CONNTRACK_FLAGS = frozenset("-L --dump -C --count -S --stats".split())


# By program: options, and the commands that only read. An option that takes a value is written OPTION=VALUE.
_OVS_OPTIONS = re.compile(
    r"-O(OpenFlow1[0-5])?|--protocols=OpenFlow1[0-5]|--(no-)?names|--(no-)?stats|--r?sort(=[a-z_]+)?"
    r"|--columns=[a-z_,]+|-f|--format=(table|list|csv|json)|-d|--data=(string|bare|json)|--no-headings|--bare|--oneline"
    r"|-m|--more"
)
_BRIDGE = re.compile(r"[A-Za-z0-9_.-]+")
_OVS_VALUES = re.compile(r"OpenFlow1[0-5]|table|list|csv|json|string|bare")
_OVS: dict[str, frozenset[str]] = {
    "ovs-vsctl": frozenset(
        "show list-br br-exists list-ports list-ifaces iface-to-br port-to-br get-controller get-fail-mode list find "
        "get".split()
    ),
    "ovs-ofctl": frozenset(
        "show dump-flows dump-aggregate dump-tables dump-ports dump-ports-desc dump-desc dump-groups dump-group-stats "
        "dump-meters meter-stats".split()
    ),
    "ovs-appctl": frozenset(
        "fdb/show fdb/stats-show bridge/dump-flows dpif/show dpif/dump-flows dpctl/show dpctl/dump-flows ofproto/list "
        "ofproto/trace coverage/show memory/show version".split()
    ),
}


# what `wg show` tells of an interface or of all; the keys that are secret are not among them
_WG_ASKED = frozenset(
    "public-key listen-port fwmark peers endpoints allowed-ips latest-handshakes transfer persistent-keepalive".split()
)


def words(line: str) -> list[str]:
    """The argument list in one request of the reader script."""
    return line.rstrip("\n").rstrip(_SEPARATOR).split(_SEPARATOR)


def refuses(argv: list[str]) -> str | None:
    """Why ``argv`` will not be run, or ``None`` if it only reads."""
    program, arguments = argv[0], argv[1:]
    word = _MATCH if program in _OVS else _WORD
    if sum(map(len, argv)) > _LONGEST or not all(word.fullmatch(one) for one in argv):
        return f"{program}: only plain words are answered here, read-only"
    reads = _READS.get(program)
    if reads is not None and reads(arguments):
        return None
    return f"{program}: not permitted: read-only access answers listings only"


def _nft_reads(arguments: list[str]) -> bool:
    flags = [word for word in arguments if word.startswith("-")]
    plain = [word for word in arguments if not word.startswith("-")]
    if not all(flag in _NFT_FLAGS for flag in flags) or len(plain) < 2:
        return False
    return plain[0] == "list" and plain[1] in _NFT_OBJECTS


def _iptables_reads(arguments: list[str]) -> bool:
    rest = _without_table(arguments)
    if rest is None:
        return False
    # -nvL and the like: short flags in one word
    flags = [f"-{letter}" for word in rest if re.fullmatch(r"-[a-zA-Z]{2,}", word) for letter in word[1:]]
    flags += [word for word in rest if word.startswith("-") and not re.fullmatch(r"-[a-zA-Z]{2,}", word)]
    listing = any(flag in {"-L", "-S", "--list", "--list-rules"} for flag in flags)
    return listing and all(flag in _IPTABLES_FLAGS for flag in flags)


def _save_reads(arguments: list[str]) -> bool:
    rest = _without_table(arguments)
    return rest is not None and all(word in _SAVE_FLAGS for word in rest)


def _conntrack_reads(arguments: list[str]) -> bool:
    return bool(arguments) and all(word in _CONNTRACK_FLAGS for word in arguments)


def _ovs_reads(program: str, arguments: list[str]) -> bool:
    """Whether a command reads: options that are known, then one command, and no second one behind ``--``."""
    rest = list(arguments)
    while rest and rest[0].startswith("-"):
        option = rest.pop(0)
        if _OVS_OPTIONS.fullmatch(option) is None:
            return False
        if option in {"-O", "-f", "-d"} and (not rest or _OVS_VALUES.fullmatch(rest.pop(0)) is None):
            return False
    if not rest or rest[0] not in _OVS[program]:
        return False
    command, plain = rest[0], [one for one in rest[1:] if not one.startswith("-")]
    options = [one for one in rest[1:] if one.startswith("-")]
    # not the address of something else that speaks OpenFlow
    if program == "ovs-ofctl" and plain and _BRIDGE.fullmatch(plain[0]) is None:
        return False
    # a trace sends its packet if it is told to; behind "--" another command follows
    return not options if command == "ofproto/trace" else all(_OVS_OPTIONS.fullmatch(one) for one in options)


def _wireguard_reads(arguments: list[str]) -> bool:
    """Whether ``wg`` shows, and no secret keys: ``showconf``, ``dump`` and ``private-key`` tell them."""
    if arguments[:1] != ["show"] or len(arguments) > 3:
        return not arguments
    return all(_BRIDGE.fullmatch(one) for one in arguments[1:2]) and {*arguments[2:]} <= _WG_ASKED


def _without_table(arguments: list[str]) -> list[str] | None:
    rest = list(arguments)
    for option in ("-t", "--table"):
        while option in rest:
            position = rest.index(option)
            if position + 1 >= len(rest) or rest[position + 1] not in _TABLES:
                return None
            del rest[position : position + 2]
    return rest


# By exact name: a name that only begins alike may be a path, or a program that writes.
_READS: dict[str, Callable[[list[str]], bool]] = {
    "nft": _nft_reads,
    "conntrack": _conntrack_reads,
    **dict.fromkeys(("iptables", "ip6tables", "iptables-nft", "ip6tables-nft"), _iptables_reads),
    **dict.fromkeys(("iptables-save", "ip6tables-save"), _save_reads),
    "wg": _wireguard_reads,
    **{program: partial(_ovs_reads, program) for program in _OVS},
}
