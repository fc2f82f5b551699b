"""Compile service policies: chains that classify, mark and police, and HTB trees that queue."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_netbench.dialects.cisco_ios.markings import DSCP
from pytest_netbench.platforms.cisco_ios.areas.qos.classify import GROUP_MASK, GROUP_SHIFT, Classifier
from pytest_netbench.platforms.cisco_ios.areas.qos.queues import Queues
from pytest_netbench.platforms.cisco_ios.compile.context import Context, Interface
from pytest_netbench.platforms.cisco_ios.compile.state import Chain
from pytest_netbench.platforms.cisco_ios.config.tree import Entry, Section

POLICY_IN = Chain("inet", "policy_in", hook="prerouting", priority=-160)
POLICY_OUT = Chain("inet", "policy_out", hook="postrouting", priority=250)
CONTROL_IN = Chain("inet", "control_in", hook="input", priority=-10)
"""Separate base chains: a class ends with ``accept``, which must not skip the rules of other areas."""
HOST_PACKETS = "ip hdrlength 5 ip ttl > 1 fib daddr type local "
"""What IOS counts to the subinterface ``host``: IPv4 to an address of the router, without options, that could go on."""
DEFAULT_CLASS = "class-default"
_LEAST_BURST = 1500
_NEIGHBORS_PAST_QUEUES = "icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } meta priority set 1:0 accept"


@dataclass(frozen=True)
class Attachment:
    """A policy attached to an interface or to the control plane.

    Args:
        where: The interface, or ``None`` for the control plane.
        direction: ``input`` or ``output``.
        policy: Name of the policy map.
        host: Whether it is attached to the control plane's subinterface for packets to the router itself.
    """

    where: Interface | None
    direction: str
    policy: str
    host: bool = False

    @property
    def prefix(self) -> str:
        """The beginning of the names of its chains and counters."""
        place = (
            self.where.kernel.replace("-", "_").replace(".", "_") if self.where else "cp_host" if self.host else "cp"
        )
        return f"{'qi' if self.direction == 'input' else 'qo'}_{place}"


def attachments(context: Context) -> list[Attachment]:
    """Return every attached policy."""
    found = []
    for one in context.interfaces:
        for direction in ("input", "output"):
            entry = one.section.get(f"service-policy {direction}")
            if entry is not None:
                found.append(Attachment(one, direction, str(entry["policy"])))
    for _, body in context.config.sections("control-plane"):
        found += [Attachment(None, "input", str(entry["policy"])) for entry in body.all("service-policy input")]
        for entry in body.all("service-policy output"):
            context.unsupported(entry, "only incoming packets are policed")
    # a policy of the whole control plane puts those of its subinterfaces out of force
    if all(one.where is not None for one in found):
        for _, body in context.config.sections("control-plane host"):
            found += [
                Attachment(None, "input", str(entry["policy"]), True) for entry in body.all("service-policy input")
            ]
    return found


def classes(config: Section, policy: str) -> list[tuple[str, Section]]:
    """Return the classes of a policy in order; ``class-default`` is always included, as the last one."""
    entry = config.get("policy-map", name=policy)
    if entry is None:
        return []
    found = [(str(line["name"]), body) for line, body in entry.body.sections("class")]
    if all(name != DEFAULT_CLASS for name, _ in found):
        found.append((DEFAULT_CLASS, Section(mode="pmap-c", parent=None)))
    return found


def compile_policies(context: Context) -> None:
    """Add every attached policy to the state."""
    for one in attachments(context):
        if context.config.get("policy-map", name=one.policy) is None:
            continue
        queues = None
        if one.where is not None and one.direction == "output":
            queues = Queues(context, one.where, one.policy)
            if queues.lines:
                context.state.tc[one.where.kernel] = queues.lines
        _Writer(context, one, queues).write()


class _Writer:
    """Adds the chains of one attached policy."""

    def __init__(self, context: Context, attachment: Attachment, queues: Queues | None) -> None:
        self._context, self._at, self._queues = context, attachment, queues
        self._nft = context.state.nft
        self._classifier = Classifier(context, attachment.prefix)

    def write(self) -> None:
        base = CONTROL_IN if self._at.where is None else POLICY_IN if self._at.direction == "input" else POLICY_OUT
        condition = HOST_PACKETS if self._at.host else ""
        if self._at.where is not None:
            condition = f'{"iifname" if self._at.direction == "input" else "oifname"} "{self._at.where.kernel}" '
        root = self._chain("")
        self._nft.rule(base, f"{condition}jump {root.name}")
        if self._queues is not None and self._queues.lines:
            self._nft.rule(root, _NEIGHBORS_PAST_QUEUES)
        self._policy(root, self._at.policy, ())

    def _policy(self, root: Chain, policy: str, path: tuple[str, ...]) -> None:
        """Add a policy: classes are tested in order; a matching packet goes to the chain of its class."""
        for number, (name, body) in enumerate(classes(self._context.config, policy)):
            own = self._chain("_".join(["", *map(str, self._numbers(path)), str(number)]))
            if name == DEFAULT_CLASS:
                self._nft.rule(root, f"goto {own.name}")
            else:
                self._classifier.send(root, name, own.name)
            self._act(own, body, (*path, name))

    def _numbers(self, path: tuple[str, ...]) -> list[int]:
        numbers = []
        policy = self._at.policy
        for step in path:
            known = classes(self._context.config, policy)
            number = next(at for at, (name, _) in enumerate(known) if name == step)
            numbers.append(number)
            child = known[number][1].get("service-policy")
            policy = str(child["policy"]) if child else ""
        return numbers

    def _chain(self, suffix: str) -> Chain:
        chain = Chain("inet", f"{self._at.prefix}{suffix}")
        self._nft.chain(chain)
        return chain

    def _counter(self, path: tuple[str, ...], what: str = "") -> str:
        return self._nft.counter("inet", counter_name(self._at.prefix, self._numbers(path), what))

    def _act(self, own: Chain, body: Section, path: tuple[str, ...]) -> None:
        self._nft.rule(own, self._counter(path))
        if body.has("drop"):
            self._nft.rule(own, "drop")
            return
        for line in (*body.all("police"), *body.all("police rate")):
            self._police(own, line, path)
        for line in body:
            for words in _marking(line):
                self._nft.rule(own, words)
        if self._queues is not None and (minor := self._queues.minor(path)) is not None:
            self._nft.rule(own, f"meta priority set 1:{minor:x}")
        child = body.get("service-policy")
        if child is not None and self._context.config.get("policy-map", name=child["policy"]) is not None:
            self._policy(own, str(child["policy"]), path)
        else:
            self._nft.rule(own, "accept")

    def _police(self, own: Chain, line: Entry, path: tuple[str, ...]) -> None:
        actions = {which: line.body.get(f"{which}-action") for which in ("conform", "exceed", "violate")}
        if line.name == "police rate":
            burst = int(line.get("burst", max(1, int(line["pps"]) // 4)))
            limits = [("exceed", f"limit rate over {int(line['pps'])}/second burst {burst} packets")]
        else:
            limits = _limits(line, two_rates="pir" in line.match.args, violate=actions["violate"] is not None)
        for which, limit in limits:
            action = actions[which] if which != "violate" or actions["violate"] is not None else actions["exceed"]
            chain = self._chain("_".join(["", *map(str, self._numbers(path)), which]))
            self._nft.rule(chain, self._counter(path, which))
            for words in _taken(action):
                self._nft.rule(chain, words)
            # packets over the limit go on to their action's chain, and skip the statements for conforming ones
            self._nft.rule(own, f"{limit} goto {chain.name}")
            self._finish(chain, path, action)
        self._nft.rule(own, self._counter(path, "conform"))
        for words in _taken(actions["conform"]):
            self._nft.rule(own, words)

    def _finish(self, chain: Chain, path: tuple[str, ...], action: Entry | None) -> None:
        if action is None or action.has("drop"):
            return
        if self._queues is not None and (minor := self._queues.minor(path)) is not None:
            self._nft.rule(chain, f"meta priority set 1:{minor:x}")
        self._nft.rule(chain, "accept")


def counter_name(prefix: str, numbers: list[int], what: str = "") -> str:
    """Return the name of the counter of a class, or of a result of its policer."""
    return "_".join([prefix, "c", *map(str, numbers), *([what] if what else [])])


def bursts(line: Entry) -> tuple[int, int]:
    """Return normal and excess burst of a policer in bytes, as configured or as IOS computes them."""
    normal = int(line.get("bc", max(_LEAST_BURST, int(line["cir"]) // 32)))
    excess = int(line.get("be", max(_LEAST_BURST, int(line["pir"]) // 32) if "pir" in line.match.args else normal))
    return normal, excess


def _limits(line: Entry, *, two_rates: bool, violate: bool) -> list[tuple[str, str]]:
    normal, excess = bursts(line)
    over = [("exceed", _over(int(line["cir"]), normal))]
    if two_rates:
        over.insert(0, ("violate", _over(int(line["pir"]), excess)))
    elif violate:
        over.insert(0, ("violate", _over(int(line["cir"]), normal + excess)))
    return over


def _over(bps: int, burst: int) -> str:
    return f"limit rate over {max(1, bps // 8)} bytes/second burst {burst} bytes"


def _taken(action: Entry | None) -> list[str]:
    if action is None or action.has("transmit"):
        return []
    if action.has("drop"):
        return ["drop"]
    if action.has("set-dscp-transmit"):
        return _set_dscp(_point(str(action["dscp"])))
    if action.has("set-prec-transmit"):
        return _set_dscp(8 * int(action["prec"]))
    return [_set_group(int(action["group"]))]


def _marking(line: Entry) -> list[str]:
    if line.name == "set dscp":
        return _set_dscp(_point(str(line["dscp"])), six=not line.has("ip"))
    if line.name == "set precedence":
        return _set_dscp(8 * int(line["prec"]), six=not line.has("ip"))
    return [_set_group(int(line["group"]))] if line.name == "set qos-group" else []


def _set_dscp(value: int, *, six: bool = True) -> list[str]:
    return [f"ip dscp set {value}", *([f"ip6 dscp set {value}"] if six else [])]


def _set_group(group: int) -> str:
    return f"meta mark set meta mark & {~GROUP_MASK & 0xFFFFFFFF:#x} | {(group + 1) << GROUP_SHIFT:#x}"


def _point(value: str) -> int:
    return DSCP[value] if value in DSCP else int(value)
