"""Commands of quality of service."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.qos import values
from pytest_netbench.platforms.cisco_ios.areas.qos.edits import (
    check_child,
    check_class,
    check_direction,
    check_levels,
    check_policy,
    check_queueing,
    open_class,
    open_class_map,
    remove_policy,
)
from pytest_netbench.platforms.cisco_ios.config.edit import Edit
from pytest_netbench.platforms.cisco_ios.config.tree import Entry
from pytest_netbench.platforms.cisco_ios.grammar.command import Match, Mode
from pytest_netbench.platforms.cisco_ios.grammar.tables import setting, table
from pytest_netbench.platforms.cisco_ios.grammar.types import matching

TYPES = {**values.TYPES, "policyname": matching("WORD", r"\S{1,40}")}
CLASS_MAP, POLICY_MAP, CLASS, POLICE, CONTROL_PLANE = "cmap", "pmap", "pmap-c", "police", "cp"

_HOST = "cp-host"
"""The mode of ``control-plane host``, of the area ``management``."""

_NO_RED = "queues use tail drop, not RED"
_NO_FAIR = "the flows of a class share one queue"
_POLICE_SEEDS = ("conform-action transmit", "exceed-action drop")


def _police_seeds(_entry: Entry, _role: str) -> tuple[str, ...]:
    """Return the actions of a new policer."""
    return _POLICE_SEEDS


def _police_action(edit: Edit, match: Match) -> str | None:
    """Store an action of a policer. If the line is removed, the default action is restored."""
    words = edit.keep(match)
    if not edit.section.has(match.name):
        for text in _POLICE_SEEDS:
            if text.startswith(match.name):
                edit.put(text)
    return words


def _police_head(match: Match) -> str:
    words = [f"police cir {match['cir']}"]
    words += [f"bc {match['bc']}"] if "bc" in match.args else []
    words += [f"pir {match['pir']}"] if "pir" in match.args else []
    excess = match.get("be", match.get("be0"))
    return " ".join([*words, f"be {excess}"] if excess else words)


def _open_policer(edit: Edit, match: Match) -> str | None:
    """Store the policer of a class in one canonical form."""
    if match.negated or match.reset:
        return edit.keep(match)
    head = _police_head(match)
    known = edit.section.get("police")
    edit.opened.append(known if known is not None and known.text == head else edit.put(head))
    return None


def _police_line(edit: Edit, match: Match) -> str | None:
    """Convert a one-line policer to the line and the actions below it."""
    if match.negated or match.reset:
        edit.section.remove(*edit.section.all("police"))
        return None
    entry = edit.put(_police_head(match))
    for word in ("conform", "exceed", "violate"):
        action = _plain(match, word)
        if action is not None:
            edit.put(f"{word}-action {action}", entry.body)
    return None


def _plain(match: Match, which: str) -> str | None:
    """Return the words of one action in the one-line form."""
    words = match.text.split()
    if f"{which}-action" not in words:
        return None
    start = words.index(f"{which}-action") + 1
    ends = [words.index(f"{other}-action") for other in ("exceed", "violate") if f"{other}-action" in words]
    end = min((at for at in ends if at > start), default=len(words))
    return " ".join(words[start:end])


MODES = (
    Mode(name=CLASS_MAP, prompt="config-cmap", help="class map"),
    Mode(name=POLICY_MAP, prompt="config-pmap", help="policy map"),
    Mode(name=CLASS, prompt="config-pmap-c", help="class of a policy map"),
    Mode(name=POLICE, prompt="config-pmap-c-police", seeds=_police_seeds, help="policer"),
    Mode(name=CONTROL_PLANE, prompt="config-cp", help="control plane"),
)

_MATCHES = (
    "match [ not ] any",
    "match [ not ] access-group ( name {acl!:word} | {number!:1-2699} )",
    "match [ not ] [ ip ] dscp {dscp!:dscp}+",
    "match [ not ] [ ip ] precedence {prec!:prec}+",
    "match [ not ] protocol {protocol!:protocol}",
    "match [ not ] input-interface {interface!:interface}",
    "match [ not ] packet length < min {least!:1-2000} | max {most!:1-2000} >+",
    "match [ not ] qos-group {group!:0-99}",
    "match [ not ] ip rtp {first!:2000-65535} {range!:0-16383}",
)

_ACTION = "( transmit | drop | set-dscp-transmit {%s:dscp} | set-prec-transmit {%s:prec} | set-qos-transmit {%s:0-99} )"

_RATES = (
    "police ^ [ cir ] {cir:8000-10000000000} [ [ bc ] {bc:1000-512000000} [ {be0:1000-512000000} ] ] [ pir"
    " {pir:8000-10000000000} ] [ be {be:1000-512000000} ]"
)

_ONE_LINE = (
    f"{_RATES} conform-action {_ACTION % (('c',) * 3)} [ exceed-action {_ACTION % (('e',) * 3)} ] [ violate-action"
    f" {_ACTION % (('v',) * 3)} ]"
)

_CLASS_LINES = table(
    setting(
        "priority ^ [ ( percent {percent:1-100} | {kbit:1-10000000} ) [ {burst:18-2000000} ] ]",
        "Strict Scheduling Priority for this Class",
        check=check_queueing,
    ),
    setting(
        (
            "bandwidth ^ ( {kbit:1-10000000} | percent {percent:1-100} | remaining ( percent {percent:1-100} | ratio"
            " {ratio:1-65536} ) )"
        ),
        "Bandwidth",
        check=check_queueing,
    ),
    setting(
        (
            "shape average ^ ( percent {percent:1-100} | {bps:8000-10000000000} [ {bc:32-800000000} [ {be:0-800000000}"
            " ] ] )"
        ),
        "Traffic Shaping",
        check=check_direction,
    ),
    ("queue-limit {packets:1-64000} [ packets ]", "Queue Max Threshold for Tail Drop"),
    ("set [ ip ] dscp ^ {dscp:dscp}", "Set QoS values"),
    "set [ ip ] precedence ^ {prec:prec}",
    "set qos-group {group:0-99}",
    setting("set cos {cos:0-7}", marked="frames are not marked"),
    ("drop", "Drop all packets"),
    setting("fair-queue [ {flows:16-4096} ]", marked=_NO_FAIR),
    setting("random-detect [ dscp-based | precedence-based ]", marked=_NO_RED),
    setting("random-detect dscp {dscp!:dscp} {low:1-4096} {high:1-4096} [ {mark:1-65535} ]", marked=_NO_RED),
    setting("random-detect ecn", marked=_NO_RED),
    setting(_RATES, "Police", name="police", opens=POLICE, edit=_open_policer),
    setting(_ONE_LINE, name="police line", edit=_police_line),
    setting(
        "police rate {pps:1-2000000000} pps [ burst {burst:1-512000000} packets ]", name="police rate", opens=POLICE
    ),
    setting("service-policy {policy:policyname}", "Configure QoS Service Policy", check=check_child),
    mode=CLASS,
)

_POLICE_LINES = tuple(
    setting(
        (
            f"{word}-action ( transmit | drop | set-dscp-transmit {{dscp:dscp}} | set-prec-transmit {{prec:prec}} |"
            " set-qos-transmit {group:0-99} )"
        ),
        edit=_police_action,
        mode=POLICE,
    )
    for word in ("conform", "exceed", "violate")
)

COMMANDS = table(
    setting(
        "class-map [ match-all | match-any ] {name!:policyname}",
        "Configure QoS Class Map",
        opens=CLASS_MAP,
        edit=open_class_map,
    ),
    setting("policy-map {name!:policyname}", "Configure QoS Policy Map", opens=POLICY_MAP, edit=remove_policy),
    setting("control-plane", "Configure control plane services", opens=CONTROL_PLANE),
    *(setting(text, check=check_levels, mode=CLASS_MAP) for text in _MATCHES),
    setting("match [ not ] class-map {other!:policyname}", check=check_class, mode=CLASS_MAP),
    setting("description {text:line}", mode=(CLASS_MAP, POLICY_MAP)),
    setting("class {name!:policyname}", "Policy criteria", opens=CLASS, edit=open_class, mode=POLICY_MAP),
    *_CLASS_LINES,
    *_POLICE_LINES,
    setting("service-policy input {policy:policyname}", check=check_policy, mode=("if", CONTROL_PLANE, _HOST)),
    setting("service-policy output {policy:policyname}", check=check_policy, mode=("if", CONTROL_PLANE)),
)

HELP = {
    "class-map": "Configure QoS Class Map",
    "policy-map": "Configure QoS Policy Map",
    "service-policy": "Configure QoS Service Policy",
    "police": "Police",
    "shape": "Traffic Shaping",
    "match": "Classification criteria",
}
