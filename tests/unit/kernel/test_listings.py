"""The broker runs what agents ask for with the lab's rights, so what it lets pass is all that matters."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pytest_netbench.kernel import listings

LISTINGS = [
    "nft list ruleset",
    "nft -a list ruleset",
    "nft -j list ruleset",
    "nft list ruleset inet",
    "nft list table inet filter",
    "nft list chain ip nat POSTROUTING",
    "nft -nn list counters",
    "iptables -L",
    "iptables -nvL --line-numbers",
    "iptables -t nat -L POSTROUTING -n -v",
    "iptables -S FORWARD",
    "ip6tables --list-rules",
    "ip6tables-nft -t mangle -S",
    "iptables-save",
    "iptables-save -t nat -c",
    "ip6tables-save --counters",
    "conntrack -L",
    "conntrack -S",
    "wg",
    "wg show",
    "wg show all",
    "wg show interfaces",
    "wg show wg0",
    "wg show wg0 latest-handshakes",
    "wg show all allowed-ips",
]
CHANGES = [
    "nft list ruleset; flush ruleset",
    "nft list ruleset ; flush ruleset",
    "nft flush ruleset",
    "nft -f /tmp/x list ruleset",
    "nft -f/tmp/x list ruleset",
    "nft --file /tmp/x list ruleset",
    "nft list ruleset -f /tmp/x",
    "nft -i list ruleset",
    "nft -I /tmp list ruleset",
    "nft -D x=y list ruleset",
    "nft -c -o -f /tmp/x list ruleset",
    "nft -- flush ruleset",
    "nft reset counters",
    "nft list",
    "nft monitor",
    "nft include /tmp/x",
    "iptables -F",
    "iptables -L -F",
    "iptables -LF",
    "iptables -L -Z",
    "iptables -nLZ",
    "iptables -L --zero",
    "iptables -L --zer",
    "iptables -A INPUT -j DROP",
    "iptables -L --modprobe=/tmp/x",
    "iptables -L --modprobe /tmp/x",
    "iptables -L -M /tmp/x",
    "iptables -L -M/tmp/x",
    "iptables -t /tmp/x -L",
    "iptables -w 5 -P INPUT DROP -L",
    "iptables-save -f /tmp/x",
    "iptables-save -f/tmp/x",
    "iptables-save --file=/tmp/x",
    "iptables-save -M /tmp/x",
    "iptables-restore -L",
    "iptables-restore -n",
    "iptables-apply -L",
    "iptables-/../../tmp/x -L",
    "nft-/../tmp/x -L",
    "iptables-legacy-multi -L",
    "/tmp/iptables -L",
    "conntrack",
    "conntrack -F",
    "conntrack -L -F",
    "conntrack -D",
    "conntrack -L -o save --load-file",
    "conntrack -R /tmp/x",
    "conntrack -E",
    "ss -K",
    "ss -L",
    "wg show wg0 private-key",
    "wg show all preshared-keys",
    "wg show wg0 dump",
    "wg showconf wg0",
    "wg show ../wg0",
    "wg set wg0 listen-port 1",
    "wg setconf wg0 /tmp/x",
    "wg show wg0 peers wg1",
    "wg genkey",
    "ipset -L",
    "sh -L",
    "",
]

SWITCH_LISTINGS = [
    "ovs-vsctl show",
    "ovs-vsctl --format=json list Controller",
    "ovs-vsctl -f table get-controller br0",
    "ovs-ofctl dump-flows br0",
    "ovs-ofctl -O OpenFlow13 --no-stats dump-flows br0 ip,nw_dst=10.0.1.0/24",
    "ovs-ofctl dump-ports-desc br0",
    "ovs-appctl fdb/show br0",
    "ovs-appctl ofproto/trace br0 in_port=1,ip,nw_dst=10.0.1.10,nw_ttl=64",
]
SWITCH_CHANGES = [
    "ovs-vsctl",
    "ovs-vsctl --db=unix:/tmp/x show",
    "ovs-vsctl show -- del-br br0",
    "ovs-vsctl --log-file=/tmp/x show",
    "ovs-vsctl set bridge br0 fail_mode=standalone",
    "ovs-vsctl -- set bridge br0 fail_mode=standalone",
    "ovs-vsctl -f show del-br br0",
    "ovs-ofctl del-flows br0",
    "ovs-ofctl add-flow br0 priority=1,actions=drop",
    "ovs-ofctl dump-flows tcp:127.0.0.1:6653",
    "ovs-ofctl show unix:/run/openvswitch/br0.mgmt",
    "ovs-ofctl -O dump-flows del-flows br0",
    "ovs-ofctl snoop br0",
    "ovs-appctl exit",
    "ovs-appctl -t ovsdb-server ovsdb-server/compact",
    "ovs-appctl fdb/flush br0",
    "ovs-appctl ofproto/trace br0 in_port=1 -generate",
    "ovs-appctl vlog/set dbg",
]


@pytest.mark.parametrize("line", LISTINGS)
def test_a_listing_is_answered(line: str) -> None:
    assert listings.refuses(line.split()) is None


@pytest.mark.parametrize("line", CHANGES)
def test_what_may_change_something_is_refused(line: str) -> None:
    assert listings.refuses(line.split(" ")) is not None


@pytest.mark.parametrize("line", LISTINGS)
@pytest.mark.parametrize("extra", [";", "\n", "{", "}", "#", "$(x)", "`x`", "|", "x=y", "é", "", " ", "a" * 65])
def test_a_listing_with_a_strange_word_is_refused(line: str, extra: str) -> None:
    assert listings.refuses([*line.split(), extra]) is not None


def test_a_refusal_names_the_program_and_the_reason() -> None:
    listings_only = "not permitted: read-only access answers listings only"
    assert listings.refuses(["nft", "flush", "ruleset"]) == f"nft: {listings_only}"
    assert listings.refuses(["nft", "list", "ruleset;"]) == "nft: only plain words are answered here, read-only"
    assert listings.refuses(["iptables-/x", "-L"]) == f"iptables-/x: {listings_only}"


def test_the_words_of_a_request_are_told_apart() -> None:
    assert listings.words("nft\x1flist\x1fruleset\x1f\n") == ["nft", "list", "ruleset"]
    assert listings.words("\n") == [""]


_DANGEROUS_FLAGS = set("AIDRFZNXPECM")
_vocabulary = st.sampled_from(
    sorted(
        {word for line in LISTINGS + CHANGES for word in line.split(" ")}
        | {f"-{letter}" for letter in "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"}
        | {"add", "delete", "flush", "insert", "replace", "reset", "rename", "destroy", "monitor", "import", "--", "-"}
    )
)
_programs = st.sampled_from(
    ["nft", "iptables", "ip6tables", "iptables-save", "ip6tables-save", "iptables-nft", "conntrack"]
)


@given(program=_programs, arguments=st.lists(_vocabulary | st.text(max_size=8), max_size=8))
@example(program="nft", arguments=["list", "ruleset", "-f", "x"])
def test_nothing_that_passes_holds_a_word_that_changes(program: str, arguments: list[str]) -> None:
    if listings.refuses([program, *arguments]) is not None:
        return
    text = " ".join(arguments)
    assert not set(text) & set(";\n{}#$`|&<>=\"'\\*@")
    if program == "nft":
        plain = [word for word in arguments if not word.startswith("-")]
        assert plain[0] == "list"
        assert not any(word.startswith(("-f", "-i", "-I", "-D", "-c", "-o", "--f", "--i")) for word in arguments)
    else:
        short = {letter for word in arguments if word[:1] == "-" != word[1:2] for letter in word[1:]}
        changing = _DANGEROUS_FLAGS - ({"C"} if program == "conntrack" else set())
        assert not short & changing
        assert not any(word.startswith("--") and word[2:3] in set("fzmdraeip") for word in arguments)


# ---- Open vSwitch: matches hold commas and equals signs ----


@pytest.mark.parametrize("line", SWITCH_LISTINGS)
def test_a_listing_of_a_switch_is_answered(line: str) -> None:
    assert listings.refuses(line.split()) is None


@pytest.mark.parametrize("line", SWITCH_CHANGES)
def test_what_may_change_a_switch_is_refused(line: str) -> None:
    assert listings.refuses(line.split(" ")) is not None


@pytest.mark.parametrize("line", SWITCH_LISTINGS)
@pytest.mark.parametrize("extra", ["--", ";", "\n", "$(x)", "`x`", "|", "'", "é", "", " ", "a" * 257])
def test_a_listing_of_a_switch_with_a_strange_word_is_refused(line: str, extra: str) -> None:
    assert listings.refuses([*line.split(), extra]) is not None


_switch_vocabulary = st.sampled_from(
    sorted({word for line in SWITCH_LISTINGS + SWITCH_CHANGES for word in line.split(" ")} | {"--", "-", "set", "get"})
)


@given(
    program=st.sampled_from(["ovs-vsctl", "ovs-ofctl", "ovs-appctl"]),
    arguments=st.lists(_switch_vocabulary | st.text(max_size=8), max_size=6),
)
@example(program="ovs-vsctl", arguments=["-f", "list", "del-br", "br0"])
def test_nothing_that_passes_for_a_switch_begins_with_a_command_that_changes(
    program: str, arguments: list[str]
) -> None:
    if listings.refuses([program, *arguments]) is not None:
        return
    assert "--" not in arguments
    assert not any(word.startswith(("-t", "--db", "--log", "-v", "-generate")) for word in arguments)
    plain = [word for word in arguments if not word.startswith("-")]
    if plain[0] in {"OpenFlow13", "table", "json", "list", "csv", "string", "bare"} and arguments[0] in {
        "-O",
        "-f",
        "-d",
    }:
        plain = plain[1:]
    assert plain[0].startswith(
        ("show", "list", "get", "dump-", "fdb/", "ofproto/", "bridge/", "dpif/", "dpctl/", "find")
    )
