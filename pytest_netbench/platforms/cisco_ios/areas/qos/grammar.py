"""Commands of quality of service."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.qos import values
from pytest_netbench.platforms.cisco_ios.config.edit import Edit
from pytest_netbench.platforms.cisco_ios.config.tree import Entry, Section
from pytest_netbench.platforms.cisco_ios.grammar.command import INVALID, Match, Mode
from pytest_netbench.platforms.cisco_ios.grammar.tables import setting, table
from pytest_netbench.platforms.cisco_ios.grammar.types import matching

TYPES = {**values.TYPES, "policyname": matching("WORD", r"\S{1,40}")}
CLASS_MAP, POLICY_MAP, CLASS, POLICE, CONTROL_PLANE = "cmap", "pmap", "pmap-c", "police", "cp"
_HOST = "cp-host"
"""The mode of ``control-plane host``, of the area ``management``."""
_MOST_CLASSES = 256
"""The maximum number of classes in a class, nested ones included: each is tested wherever it is used."""
_MOST_LEVELS = 10
"""The maximum nesting of classes: the kernel allows sixteen nested chains."""
_OUTPUT_ONLY = "% {}: queueing features can be applied to output only"
_QUEUEING = ("priority", "bandwidth", "shape average")
_NO_RED = "queues use tail drop, not RED"
_NO_FAIR = "the flows of a class share one queue"

_POLICE_SEEDS = ("conform-action transmit", "exceed-action drop")


def _police_seeds(_entry: Entry, _role: str) -> tuple[str, ...]:
    return _POLICE_SEEDS


def _police_action(edit: Edit, match: Match) -> str | None:
    """Store an action of a policer. If the line is removed, the default action is restored."""
    words = edit.keep(match)
    if not edit.section.has(match.name):
        for text in _POLICE_SEEDS:
            if text.startswith(match.name):
                edit.put(text)
    return words


def _class_map(edit: Edit, match: Match) -> str | None:
    """Open a class map. Without further words, a new one is match-all and an existing one is unchanged."""
    known = edit.config.get("class-map", name=match["name"])
    if match.negated or match.reset:
        for entry in edit.config.all("class-map"):
            if entry["name"] == match["name"]:
                edit.config.remove(entry)
        return None
    kind = "match-any" if match.has("match-any") else "match-all"
    if known is not None and not match.has("match-any") and not match.has("match-all"):
        edit.opened.append(known)
        return None
    if known is not None:
        if not known.has(kind):
            return (
                f"% class-map {match['name']} already exists as"
                f" {'match-any' if known.has('match-any') else 'match-all'}"
            )
        edit.opened.append(known)
        return None
    edit.opened.append(edit.put(f"class-map {kind} {match['name']}", edit.config))
    return None


def _class(edit: Edit, match: Match) -> str | None:
    name = match["name"]
    known = edit.booting or name == "class-default" or edit.config.has("class-map", name=name)
    if not match.negated and not known:
        return f"% class map {name} not configured"
    words = edit.keep(match)
    # class-default is always the last class
    entries = edit.section.entries
    entries.sort(key=lambda entry: entry.get("name") == "class-default")
    return words


def _police_head(match: Match) -> str:
    words = [f"police cir {match['cir']}"]
    words += [f"bc {match['bc']}"] if "bc" in match.args else []
    words += [f"pir {match['pir']}"] if "pir" in match.args else []
    excess = match.get("be", match.get("be0"))
    return " ".join([*words, f"be {excess}"] if excess else words)


def _police(edit: Edit, match: Match) -> str | None:
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


def _check_queueing(edit: Edit, match: Match) -> str | None:
    """Refuse ``bandwidth`` with ``priority`` in a class, and shares of more than 100 percent in a policy."""
    refusal = _output_only(edit, match)
    if refusal is not None:
        return refusal
    other = "bandwidth" if match.name == "priority" else "priority"
    if edit.section.has(other):
        return f"% {match.name} and {other} cannot be configured in the same class"
    policy = edit.section.parent.section if edit.section.parent else None
    if policy is None or "percent" not in match.args:
        return None
    remaining = match.has("remaining")
    total = int(match["percent"])
    for entry, body in policy.sections("class"):
        for line in body if entry is not edit.section.parent else ():
            if (
                "percent" in line.match.args
                and line.name in {"bandwidth", "priority"}
                and line.has("remaining") == remaining
            ):
                total += int(line["percent"])
    return "Sum total of class bandwidths exceeds 100 percent" if total > 100 else None


def _output_only(edit: Edit, _match: Match) -> str | None:
    """Refuse queueing in a class of a policy that is attached to input."""
    policy = edit.section.parent.section.parent if edit.section.parent else None
    if policy is None:
        return None
    users = (body for _, body in edit.config.sections("interface", "control-plane", "control-plane host"))
    if any(line["policy"] == policy["name"] for body in users for line in body.all("service-policy input")):
        return _OUTPUT_ONLY.format(policy["name"])
    return None


def _service_policy(edit: Edit, match: Match) -> str | None:
    name = str(match["policy"])
    policy = edit.config.get("policy-map", name=name)
    if policy is None:
        return None if edit.booting else f"% policy map {name} not configured"
    if match.has("input") and any(line.name in _QUEUEING for _, body in policy.body.sections("class") for line in body):
        return _OUTPUT_ONLY.format(name)
    return None


def _child(edit: Edit, match: Match) -> str | None:
    name = str(match["policy"])
    policy = edit.config.get("policy-map", name=name)
    if policy is None:
        return None if edit.booting else f"% policy map {name} not configured"
    outer = edit.section.parent.section.parent if edit.section.parent else None
    if outer is not None and _reaches(edit.config, policy, str(outer["name"])):
        return f"% policy map {name} would contain itself"
    return None


def _reaches(config: Section, policy: Entry, name: str) -> bool:
    if policy["name"] == name:
        return True
    children = [line for _, body in policy.body.sections("class") for line in body.all("service-policy")]
    return any(
        (child := config.get("policy-map", name=line["policy"])) is not None and _reaches(config, child, name)
        for line in children
    )


def _remove_policy(edit: Edit, match: Match) -> str | None:
    if match.negated and _used(edit.config, str(match["name"])):
        return f"% Policy-map {match['name']} is being used"
    return edit.keep(match)


def _used(config: Section, name: str) -> bool:
    for entry in config:
        if entry.name.startswith("service-policy") and entry.get("policy") == name:
            return True
        if entry.children is not None and _used(entry.children, name):
            return True
    return False


def _size(config: Section, name: str, *, within: str) -> int:
    """Return the number of classes in a class, nested ones included; too many if it contains ``within``."""
    waiting, count = [name], 0
    while waiting and count <= _MOST_CLASSES:
        name = waiting.pop()
        count += 1 if name != within else _MOST_CLASSES
        known = config.get("class-map", name=name)
        waiting += [str(line["other"]) for line in known.body.all("match class-map")] if known is not None else []
    return count


def _check_levels(edit: Edit, match: Match) -> str | None:
    """Refuse a line that would nest chains deeper than the kernel allows."""
    here = edit.section.parent
    new = (str(here["name"]), match) if here is not None else None
    deepest = max((_levels(edit.config, e, new, ()) for e in edit.config.all("class-map")), default=0)
    return (
        f"% A class map may have {_MOST_LEVELS} match criteria that all must hold" if deepest > _MOST_LEVELS else None
    )


def _levels(
    config: Section, entry: Entry, new: tuple[str, Match] | None, above: tuple[str, ...], *, negated: bool = False
) -> int:
    """Return the number of nested chains that packets of a class, or all others, pass through.

    ``new`` is a class and a line that will be added to it.
    """
    name = str(entry["name"])
    if name in above:
        return 0
    lines = [line.match for line in entry.body if line.name.startswith("match")]
    lines += [new[1]] if new is not None and new[0] == name else []
    each = [_levels_of(config, line, new, (*above, name), negated=negated) for line in lines]
    return max(each, default=0) if entry.has("match-any") != negated else sum(each)


def _levels_of(
    config: Section, match: Match, new: tuple[str, Match] | None, above: tuple[str, ...], *, negated: bool
) -> int:
    negated = negated != match.has("not")
    if "other" not in match.args:
        return 1 + negated + match.has("access-group")
    inner = config.get("class-map", name=str(match["other"]))
    return 1 + (_levels(config, inner, new, above, negated=negated) if inner is not None else 0)


def _no_class(edit: Edit, match: Match) -> str | None:
    name = str(match["other"])
    inner = edit.section.parent
    if inner is not None and name == inner["name"]:
        return INVALID
    if inner is not None and _size(edit.config, name, within=inner["name"]) > _MOST_CLASSES:
        return INVALID
    # a saved config may use a class before it defines the class
    if not edit.booting and not edit.config.has("class-map", name=name):
        return f"% class map {name} not configured"
    return _check_levels(edit, match)


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
        check=_check_queueing,
    ),
    setting(
        (
            "bandwidth ^ ( {kbit:1-10000000} | percent {percent:1-100} | remaining ( percent {percent:1-100} | ratio"
            " {ratio:1-65536} ) )"
        ),
        "Bandwidth",
        check=_check_queueing,
    ),
    setting(
        (
            "shape average ^ ( percent {percent:1-100} | {bps:8000-10000000000} [ {bc:32-800000000} [ {be:0-800000000}"
            " ] ] )"
        ),
        "Traffic Shaping",
        check=_output_only,
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
    setting(_RATES, "Police", name="police", opens=POLICE, edit=_police),
    setting(_ONE_LINE, name="police line", edit=_police_line),
    setting(
        "police rate {pps:1-2000000000} pps [ burst {burst:1-512000000} packets ]", name="police rate", opens=POLICE
    ),
    setting("service-policy {policy:policyname}", "Configure QoS Service Policy", check=_child),
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
        edit=_class_map,
    ),
    setting("policy-map {name!:policyname}", "Configure QoS Policy Map", opens=POLICY_MAP, edit=_remove_policy),
    setting("control-plane", "Configure control plane services", opens=CONTROL_PLANE),
    *(setting(text, check=_check_levels, mode=CLASS_MAP) for text in _MATCHES),
    setting("match [ not ] class-map {other!:policyname}", check=_no_class, mode=CLASS_MAP),
    setting("description {text:line}", mode=(CLASS_MAP, POLICY_MAP)),
    setting("class {name!:policyname}", "Policy criteria", opens=CLASS, edit=_class, mode=POLICY_MAP),
    *_CLASS_LINES,
    *_POLICE_LINES,
    setting("service-policy input {policy:policyname}", check=_service_policy, mode=("if", CONTROL_PLANE, _HOST)),
    setting("service-policy output {policy:policyname}", check=_service_policy, mode=("if", CONTROL_PLANE)),
)
HELP = {
    "class-map": "Configure QoS Class Map",
    "policy-map": "Configure QoS Policy Map",
    "service-policy": "Configure QoS Service Policy",
    "police": "Police",
    "shape": "Traffic Shaping",
    "match": "Classification criteria",
}
