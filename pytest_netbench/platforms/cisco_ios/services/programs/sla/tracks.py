"""Tracked objects: an IP SLA operation, a link, a route, or a list of other objects; each is up or down."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping
from typing import Any

from pytest_netbench.platforms.cisco_ios.services.programs.common.host import Shared
from pytest_netbench.platforms.cisco_ios.services.programs.common.loop import Timer
from pytest_netbench.platforms.cisco_ios.services.programs.sla.operation import OK, OVER_THRESHOLD, Operation


class Track:
    """One tracked object.

    Args:
        shared: Objects that services share.
        config: ``number kind delay_up_s delay_down_s`` and further fields by kind. ``sla``: ``operation what``
            (``reachability`` or ``state``). ``link``: ``link label what`` (``line-protocol`` or ``ip routing``).
            ``route``: ``prefix``. ``list``: ``boolean`` (``and`` or ``or``) and ``objects``, [number, negated, weight]
            each. ``threshold``: ``what`` (``weight`` or ``percentage``), ``up``, ``down`` and ``objects``.
        judge: Returns whether the configured object is up now.
        changed: Called after each change, delays included.
    """

    def __init__(
        self,
        shared: Shared,
        config: Mapping[str, Any],
        judge: Callable[[Mapping[str, Any]], bool],
        changed: Callable[[], None],
    ) -> None:
        self._shared, self._judge, self._changed = shared, judge, changed
        self.config = config
        self.up = judge(config)
        self.changes = 1
        self._since = shared.loop.now()
        self._pending = Timer(0, 0, None)

    def refresh(self) -> None:
        """Evaluate again; a change takes effect after its delay, unless it is reverted before."""
        wanted = self._judge(self.config)
        if wanted == self.up:
            self._pending.cancel()
            return
        if self._pending.call is not None:
            return
        delay = self.config.get("delay_up_s" if wanted else "delay_down_s") or 0
        if delay:
            self._pending = self._shared.loop.after(delay, lambda: self._set(wanted))
        else:
            self._set(wanted)

    def _set(self, up: bool) -> None:
        former, self.up = self.up, up
        self.changes += 1
        self._since = self._shared.loop.now()
        names = f"{_word(former)} -> {_word(up)}"
        self._shared.log("TRACK", 6, "STATE", f"{self.config['number']} {described(self.config)} {names}")
        self._changed()

    def close(self) -> None:
        """Stop changing."""
        self._pending.cancel()

    def report(self) -> dict[str, Any]:
        """Return the state for ``show track``."""
        now = self._shared.loop.now()
        return {
            "number": self.config["number"],
            "up": self.up,
            "changes": self.changes,
            "since_s": now - self._since,
            "pending_s": self._pending.left(now),
        }


def described(config: Mapping[str, Any]) -> str:
    """The object in the words of a log message."""
    if config["kind"] == "sla":
        return f"ip sla {config['operation']} {config['what']}"
    if config["kind"] == "link":
        return f"interface {config.get('label', config['link'])} {config['what']}"
    if config["kind"] == "route":
        return f"ip route {config['prefix']} reachability"
    if config["kind"] == "threshold":
        return f"list threshold {config['what']}"
    return f"list boolean {config['boolean']}"


class Judge:
    """Evaluates objects."""

    def __init__(self, shared: Shared, operations: Mapping[int, Operation], tracks: Mapping[int, Track]) -> None:
        self._shared, self._operations, self._tracks = shared, operations, tracks

    def __call__(self, config: Mapping[str, Any]) -> bool:
        """Whether the configured object is up now."""
        kinds = {
            "sla": self._sla,
            "link": self._link,
            "route": self._route,
            "list": self._list,
            "threshold": self._threshold,
        }
        return kinds[config["kind"]](config)

    def _sla(self, config: Mapping[str, Any]) -> bool:
        operation = self._operations.get(config["operation"])
        good = {OK} if config["what"] == "state" else {OK, OVER_THRESHOLD}
        return operation is not None and operation.code in good

    def _link(self, config: Mapping[str, Any]) -> bool:
        link = self._shared.links.get(config["link"])
        return link is not None and link.up and (config["what"] != "ip routing" or bool(link.address))

    def _route(self, config: Mapping[str, Any]) -> bool:
        words = ["/usr/sbin/ip", "-o", "route", "show", "exact", config["prefix"]]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        return any(line and not line.startswith(("blackhole", "unreachable")) for line in done.stdout.splitlines())

    def _list(self, config: Mapping[str, Any]) -> bool:
        votes = [self._is_up(number) != negated for number, negated, *_ in config["objects"]]
        return bool(votes) and (all(votes) if config["boolean"] == "and" else any(votes))

    def _threshold(self, config: Mapping[str, Any]) -> bool:
        """Up from ``up`` on, down from ``down`` on, unchanged between them."""
        weights = {number: weight for number, _, weight in config["objects"]}
        total = sum(weight for number, weight in weights.items() if self._is_up(number))
        if config["what"] == "percentage":
            total = 100 * total // max(1, sum(weights.values()))
        if config["up"] is None:
            return False
        return total >= config["up"] or (total > config["down"] and self._is_up(config["number"]))

    def _is_up(self, number: int) -> bool:
        track = self._tracks.get(number)
        return track is not None and track.up


def _word(up: bool) -> str:
    return "Up" if up else "Down"
