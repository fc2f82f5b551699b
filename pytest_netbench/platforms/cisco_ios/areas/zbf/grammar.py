"""Commands of the zone-based firewall."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_netbench.platforms.cisco_ios.config.edit import Edit
from pytest_netbench.platforms.cisco_ios.config.tree import Entry
from pytest_netbench.platforms.cisco_ios.grammar.command import Match, Mode
from pytest_netbench.platforms.cisco_ios.grammar.tables import setting, table

CLASS_MAP = "class-map type inspect"
POLICY_MAP = "policy-map type inspect"
PARAMETER_MAP = "parameter-map type inspect"
ZONE = "zone security"
PAIR = "zone-pair security"
SELF = "self"
DEFAULT = "class class-default"
ACTIONS = ("inspect", "pass", "drop")
_NO_EFFECT = "only the kernel limits sessions"


def _open_class(edit: Edit, match: Match) -> str | None:
    """Open a class map. Without more words, a new one is match-all and an existing one is opened unchanged."""
    known = edit.config.get(CLASS_MAP, name=match["name"])
    if match.negated or match.reset:
        users = [e for _, body in edit.config.sections(POLICY_MAP) for e in body.all("class type inspect")]
        if any(entry["name"] == match["name"] for entry in users):
            return f"% Class-map {match['name']} is being used"
        if known is not None:
            edit.config.remove(known)
        return None
    wanted = next((word for word in ("match-any", "match-all") if match.has(word)), None)
    if known is not None and wanted is not None and not known.has(wanted):
        return f"% Class map {match['name']} already exists with another match type"
    edit.opened.append(known or edit.put(f"{CLASS_MAP} {wanted or 'match-all'} {match['name']}", edit.config))
    return None


def _class(edit: Edit, match: Match) -> str | None:
    """Add a class to a policy, before ``class-default``."""
    if match.name == DEFAULT and (match.negated or match.reset):
        for _, body in edit.section.sections(DEFAULT):
            body.entries.clear()
            edit.put("drop", body)
        return None
    words = edit.keep(match)
    edit.section.entries.sort(key=lambda entry: entry.name == DEFAULT)
    return words


def _check_class(edit: Edit, match: Match) -> str | None:
    known = edit.booting or edit.config.has(CLASS_MAP, name=match["name"])
    return None if known else f"% class map {match['name']} not configured"


def _check_policy(edit: Edit, match: Match) -> str | None:
    known = edit.booting or edit.config.has(POLICY_MAP, name=match["policy"])
    return None if known else f"% policy map {match['policy']} not configured"


def _remove_policy(edit: Edit, match: Match) -> str | None:
    if (match.negated or match.reset) and any(
        body.has("service-policy type inspect", policy=match["name"]) for _, body in edit.config.sections(PAIR)
    ):
        return f"% Policy-map {match['name']} is being used"
    return edit.keep(match)


def _check_pair(edit: Edit, match: Match) -> str | None:
    for zone in (match["source"], match["destination"]):
        if zone.lower() != SELF and not edit.config.has(ZONE, zone=zone):
            return f"% Zone {zone} is not configured"
    for entry in edit.config.all(PAIR):
        same = (entry["source"], entry["destination"]) == (match["source"], match["destination"])
        if same and entry["pair"] != match["pair"]:
            return f"% Zone-pair {entry['pair']} already exists with the same source and destination"
    return None


def _check_member(edit: Edit, match: Match) -> str | None:
    return None if edit.config.has(ZONE, zone=match["zone"]) else f"% Zone {match['zone']} is not configured"


def _remove_zone(edit: Edit, match: Match) -> str | None:
    """Remove a zone with its pairs and memberships."""
    words = edit.keep(match)
    if match.negated or match.reset:
        edit.config.remove(*(e for e in edit.config.all(PAIR) if match["zone"] in {e["source"], e["destination"]}))
        for _, body in edit.config.sections("interface"):
            body.remove(*(e for e in body.all("zone-member security") if e["zone"] == match["zone"]))
    return words


def _act(edit: Edit, match: Match) -> str | None:
    """Store the action of a class, which has only one."""
    parent = edit.section.parent
    if match.name == "inspect" and parent is not None and parent.name == DEFAULT and not match.negated:
        return "% Inspect action is not allowed under class-default"
    if not match.negated and (not match.reset or match.name == "drop"):
        edit.section.remove(*edit.section.all(*ACTIONS))
    words = edit.keep(match)
    if parent is not None and parent.name == DEFAULT and not edit.section.all(*ACTIONS):
        edit.put("drop")
    return words


def _policy_seeds(_entry: Entry, _role: str) -> Sequence[str]:
    return (DEFAULT,)


def _class_seeds(entry: Entry, _role: str) -> Sequence[str]:
    return ("drop",) if entry.name == DEFAULT else ()


MODES = (
    Mode(name="zone", prompt="config-sec-zone", help="security zone"),
    Mode(name="zone-pair", prompt="config-sec-zone-pair", help="pair of zones"),
    Mode(name="cmap-inspect", prompt="config-cmap", help="inspection class map"),
    Mode(name="pmap-inspect", prompt="config-pmap", seeds=_policy_seeds, help="inspection policy map"),
    Mode(name="pmap-inspect-c", prompt="config-pmap-c", seeds=_class_seeds, help="class of an inspection policy map"),
    Mode(name="param-inspect", prompt="config-profile", help="inspection parameter map"),
)

_CLASSES = table(
    ("match protocol {protocol!:application}", "Protocol"),
    setting("match access-group name {list!:name}", "Access group", name="match access-group"),
    ("match access-group {list!:1-2699}", "Access group"),
    setting("match class-map {name!:name}", "Class map", check=_check_class),
    mode="cmap-inspect",
)

_POLICIES = table(
    setting("class type inspect {name!:name}", "Class", check=_check_class),
    ("class class-default", "System default class"),
    opens="pmap-inspect-c",
    edit=_class,
    mode="pmap-inspect",
)

_ACTIONS = table(
    setting("inspect [ {parameters:name} ]", "Context-based Access Control Engine", edit=_act),
    setting("pass [ log ]", "Pass the packet", edit=_act),
    setting("drop [ log ]", "Drop the packet", edit=_act),
    setting(
        "police rate {rate:8000-2000000000} [ burst {burst:1000-512000000} ]", marked="inspected traffic is not policed"
    ),
    mode="pmap-inspect-c",
)

_PARAMETERS = table(
    setting("alert ( on | off )", keeps_no=True),
    setting("audit-trail ( on | off )", keeps_no=True),
    "dns-timeout {seconds:1-2147483}",
    "icmp idle-time {seconds:1-2147483}",
    "udp idle-time {seconds:1-2147483}",
    "tcp idle-time {seconds:1-2147483}",
    "tcp finwait-time {seconds:1-2147483}",
    "tcp synwait-time {seconds:1-2147483}",
    "max-incomplete ( low | high ) {count:1-2147483647}",
    "one-minute ( low | high ) {count:1-2147483647}",
    "sessions maximum {count:1-2147483647}",
    "tcp max-incomplete host {count:1-2147483647} [ block-time {minutes:0-35791} ]",
    marked=_NO_EFFECT,
    mode="param-inspect",
)

COMMANDS = table(
    setting("zone security {zone!:name}", "Create a zone", opens="zone", edit=_remove_zone),
    setting("description {text:line}", mode=("zone", "zone-pair", "cmap-inspect", "pmap-inspect")),
    setting("zone-member security {zone:name}", "Apply zone name", check=_check_member, mode="if"),
    setting(
        "zone-pair security {pair!:name} ^ source {source:name} destination {destination:name}",
        "Zone pair",
        name=PAIR,
        opens="zone-pair",
        check=_check_pair,
    ),
    setting(
        "service-policy type inspect {policy:name}",
        "Configure CBAC Service Policy",
        check=_check_policy,
        mode="zone-pair",
    ),
    setting(
        "class-map type inspect [ match-any | match-all ] {name!:name}",
        "Configure CBAC Class Map",
        name=CLASS_MAP,
        opens="cmap-inspect",
        edit=_open_class,
    ),
    *_CLASSES,
    setting(
        "policy-map type inspect {name!:name}", "Configure CBAC Policy Map", opens="pmap-inspect", edit=_remove_policy
    ),
    *_POLICIES,
    *_ACTIONS,
    setting("parameter-map type inspect {name!:name}", "Parameter map", opens="param-inspect"),
    *_PARAMETERS,
)
