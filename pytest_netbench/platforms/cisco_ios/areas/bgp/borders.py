"""Borders of a confederation: the number of the member AS does not leave it."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.bgp.peers import Instance, Peer
from pytest_netbench.platforms.cisco_ios.areas.bgp.prefixes import DAEMON
from pytest_netbench.platforms.cisco_ios.areas.common import igp
from pytest_netbench.platforms.cisco_ios.areas.common.numbers import as_number
from pytest_netbench.platforms.cisco_ios.compile.context import Context
from pytest_netbench.platforms.cisco_ios.config.tree import Entry


def outbound_map(context: Context, instance: Instance, peer: Peer, family: str, called: str | None) -> str | None:
    """Return a route map that puts the confederation's identifier for the member AS, and calls ``called``.

    bgpd replaces private numbers, and the neighbor's, by the number of the member AS.
    """
    settings = peer.families[family]
    private = settings.get(("neighbor remove-private-as", ""))
    replaced = (private is not None and private.has("replace-as")) or ("neighbor as-override", "") in settings
    if not replaced or not _is_outside(instance, peer):
        return called
    name = f"netbench-border-{called}" if called else "netbench-border"
    replacing = [f"as-path replace {instance.local_as}"]
    return igp.wrapped_map(context, DAEMON, name, set_=replacing, call=called)


def report_local_as(context: Context, instance: Instance, peer: Peer) -> None:
    """Report a ``local-as`` to which bgpd puts the confederation's identifier into paths all the same."""
    local_as = peer.session.get(("neighbor local-as", ""))
    if local_as is not None and _is_outside(instance, peer):
        context.unsupported(local_as, "outside of a confederation, paths begin with the confederation's identifier")


def _is_outside(instance: Instance, peer: Peer) -> bool:
    """Whether a neighbor is outside of the confederation that this router belongs to."""
    if not instance.process.has("bgp confederation identifier"):
        return False
    inside = {as_number(one) for entry in _peers(instance) for one in entry.many("as")}
    return peer.remote_as not in {instance.local_as, *inside}


def _peers(instance: Instance) -> list[Entry]:
    return instance.process.all("bgp confederation peers")
