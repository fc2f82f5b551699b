"""How lines of quality of service are stored, and which are refused."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.config.edit import Edit
from pytest_netbench.platforms.cisco_ios.config.tree import Entry, Section
from pytest_netbench.platforms.cisco_ios.grammar.command import INVALID, Match

_MOST_CLASSES = 256
"""The maximum number of classes in a class, nested ones included: each is tested wherever it is used."""

_MOST_LEVELS = 10
"""The maximum nesting of classes: the kernel allows sixteen nested chains."""

_OUTPUT_ONLY = "% {}: queueing features can be applied to output only"
_QUEUEING = ("priority", "bandwidth", "shape average")


def open_class_map(edit: Edit, match: Match) -> str | None:
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


def open_class(edit: Edit, match: Match) -> str | None:
    """Open a class of a policy."""
    name = match["name"]
    known = edit.booting or name == "class-default" or edit.config.has("class-map", name=name)
    if not match.negated and not known:
        return f"% class map {name} not configured"
    words = edit.keep(match)
    # class-default is always the last class
    entries = edit.section.entries
    entries.sort(key=lambda entry: entry.get("name") == "class-default")
    return words


def check_queueing(edit: Edit, match: Match) -> str | None:
    """Refuse ``bandwidth`` with ``priority`` in a class, and shares of more than 100 percent in a policy."""
    refusal = check_direction(edit, match)
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


def check_direction(edit: Edit, _match: Match) -> str | None:
    """Refuse queueing in a class of a policy that is attached to input."""
    policy = edit.section.parent.section.parent if edit.section.parent else None
    if policy is None:
        return None
    users = (body for _, body in edit.config.sections("interface", "control-plane", "control-plane host"))
    if any(line["policy"] == policy["name"] for body in users for line in body.all("service-policy input")):
        return _OUTPUT_ONLY.format(policy["name"])
    return None


def check_policy(edit: Edit, match: Match) -> str | None:
    """Refuse a policy that does not exist, and queueing of input."""
    name = str(match["policy"])
    policy = edit.config.get("policy-map", name=name)
    if policy is None:
        return None if edit.booting else f"% policy map {name} not configured"
    if match.has("input") and any(line.name in _QUEUEING for _, body in policy.body.sections("class") for line in body):
        return _OUTPUT_ONLY.format(name)
    return None


def check_child(edit: Edit, match: Match) -> str | None:
    """Refuse a policy that does not exist or would contain itself."""
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


def remove_policy(edit: Edit, match: Match) -> str | None:
    """Store a policy map. One that is used is not removed."""
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


def check_levels(edit: Edit, match: Match) -> str | None:
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


def check_class(edit: Edit, match: Match) -> str | None:
    """Refuse a class that does not exist or would nest too deeply."""
    name = str(match["other"])
    inner = edit.section.parent
    if inner is not None and name == inner["name"]:
        return INVALID
    if inner is not None and _size(edit.config, name, within=inner["name"]) > _MOST_CLASSES:
        return INVALID
    # a saved config may use a class before it defines the class
    if not edit.booting and not edit.config.has("class-map", name=name):
        return f"% class map {name} not configured"
    return check_levels(edit, match)
