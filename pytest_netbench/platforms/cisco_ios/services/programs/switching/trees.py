"""The spanning trees of a switch, one for each VLAN, and the frames of their BPDUs."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from pytest_netbench.platforms.cisco_ios.services.programs.common import packets
from pytest_netbench.platforms.cisco_ios.services.programs.spanning_tree import bpdu
from pytest_netbench.platforms.cisco_ios.services.programs.spanning_tree.bpdu import Bpdu
from pytest_netbench.platforms.cisco_ios.services.programs.spanning_tree.classic import Classic
from pytest_netbench.platforms.cisco_ios.services.programs.spanning_tree.instance import (
    DISCARDING,
    Port,
    Tree,
    TreeSettings,
)
from pytest_netbench.platforms.cisco_ios.services.programs.spanning_tree.rapid import Rapid
from pytest_netbench.platforms.cisco_ios.services.programs.switching.attachment import Attachment, Switch
from pytest_netbench.platforms.cisco_ios.services.programs.switching.dataplane import Frame
from pytest_netbench.platforms.cisco_ios.services.programs.switching.tree_reports import port_settings, tree_state

_MODES: dict[str, type[Rapid | Classic]] = {"rapid-pvst": Rapid, "pvst": Classic}
_AGEING = 300
_MISMATCH_HELLOS = 3


class Trees:
    """All trees of one switch; implements ``spanning_tree.Medium``."""

    def __init__(self, switch: Switch) -> None:
        self._switch = switch
        self._trees: dict[int, Tree] = {}

    # ---- configuration ----

    def governs(self, attachment: Attachment, domain: int) -> bool:
        """Whether a tree controls the state of ``attachment`` in ``domain``."""
        config = self._switch.config
        return attachment.name in config.get("ports", {}) and str(domain) in config.get("trees", {})

    def refresh(self) -> None:
        """Create and update the configured trees, with the ports whose links are up."""
        wanted = {int(vlan): tree for vlan, tree in self._switch.config.get("trees", {}).items()}
        for vlan in list(self._trees):
            if vlan not in wanted or not isinstance(self._trees[vlan].mode, _MODES[wanted[vlan]["mode"]]):
                self._end(vlan)
        for vlan, config in wanted.items():
            self._tree(vlan, config)
        for attachment in list(self._switch.held.values()):
            for vlan, tree in self._trees.items():
                if self.governs(attachment, vlan):
                    self._place(tree, attachment)

    def _tree(self, vlan: int, config: dict[str, Any]) -> None:
        known = {name.name for name in fields(TreeSettings)}
        settings = TreeSettings(**{name: value for name, value in config.items() if name in known})
        tree = self._trees.get(vlan)
        if tree is None:
            address = int.from_bytes(packets.mac(self._switch.config["address"]), "big")
            loop = self._switch.shared.loop
            self._trees[vlan] = Tree(vlan, address, settings, loop, self, _MODES[config["mode"]])
        elif tree.settings != settings:
            tree.reconfigure(settings)

    def _place(self, tree: Tree, attachment: Attachment) -> None:
        config = self._switch.config["ports"][attachment.name]
        present = attachment.up and not attachment.disabled and tree.vlan in attachment.tags
        if not present:
            if attachment.name in tree.ports:
                tree.remove(attachment.name)
            return
        settings = port_settings(config, tree.vlan, trunk=attachment.trunk)
        if attachment.name in tree.ports:
            tree.configure(attachment.name, settings)
        else:
            attachment.states.setdefault(tree.vlan, DISCARDING)
            self._switch.set_state(attachment, tree.vlan, DISCARDING)
            tree.add(attachment.name, config["number"], settings)

    def left(self, attachment: Attachment, domain: int) -> None:
        """Handle that ``attachment`` left ``domain``."""
        tree = self._trees.get(domain)
        if tree is not None and attachment.name in tree.ports:
            tree.remove(attachment.name)

    def _end(self, vlan: int) -> None:
        self._trees.pop(vlan).close()

    def close(self) -> None:
        """Stop all trees."""
        for vlan in list(self._trees):
            self._trees.pop(vlan).close()

    # ---- frames ----

    def received(self, attachment: Attachment, frame: Frame) -> None:
        """Handle a control frame; frames without a BPDU are ignored."""
        found = bpdu.parse(frame.data)
        config = self._switch.config["ports"].get(attachment.name)
        if found is None or config is None or attachment.disabled:
            return
        cisco, unit = found
        if config.get("bpduguard"):
            words = f"Received BPDU on port {attachment.name} with BPDU Guard enabled. Disabling port."
            self._log("BLOCK_BPDUGUARD", words)
            self._switch.disable(attachment, "bpduguard")
            return
        # on a trunk, IEEE's BPDUs belong to VLAN 1 and are untagged
        vlan = 1 if attachment.trunk and not cisco else frame.domain
        tree = self._trees.get(vlan)
        if tree is None or attachment.name not in tree.ports:
            return
        if cisco and unit.vlan is not None and unit.vlan != vlan:
            self._mismatch(attachment, vlan, unit.vlan)
            return
        tree.receive(attachment.name, unit)

    def _mismatch(self, attachment: Attachment, vlan: int, stated: int) -> None:
        """Handle a native VLAN mismatch: block both VLANs on the port, the peer's and the one that is local."""
        found = []
        for number, side in ((stated, "peer"), (vlan, "local")):
            tree = self._trees.get(number)
            port = tree.ports.get(attachment.name) if tree else None
            if tree is None or port is None or port.inconsistent not in {"", "pvid"}:
                continue
            self._forget_mismatch_later(tree, port)
            if not port.inconsistent:
                found.append((tree, port, side))
        if found:
            words = f"Received BPDU with inconsistent peer vlan id {stated} on {attachment.name} VLAN{vlan}."
            self._log("RECV_PVID_ERR", words)
        for tree, port, side in found:
            port.inconsistent = "pvid"
            words = f"Blocking {attachment.name} on VLAN{tree.vlan:04d}. Inconsistent {side} vlan."
            self._log(f"BLOCK_PVID_{side.upper()}", words)
            tree.decide()

    def _forget_mismatch_later(self, tree: Tree, port: Port) -> None:
        def forget() -> None:
            port.inconsistent = ""
            words = f"Unblocking {port.name} on VLAN{tree.vlan:04d}. Port consistency restored."
            self._log("UNBLOCK_CONSIST_PORT", words)
            tree.decide()

        if port.mismatch is not None:
            port.mismatch.cancel()
        port.mismatch = tree.loop.after(_MISMATCH_HELLOS * tree.times[1], forget)

    def _log(self, mnemonic: str, text: str) -> None:
        self._switch.shared.log("SPANTREE", 2, mnemonic, text)

    def guarded(self, tree: Tree, port: Port, guard: str, *, blocks: bool) -> None:
        """Log that root guard or loop guard (``guard``) begins to block a port, or ends."""
        verb, mnemonic = ("blocking", "BLOCK") if blocks else ("unblocking", "UNBLOCK")
        words = f"{guard.capitalize()} guard {verb} port {port.name} on VLAN{tree.vlan:04d}."
        self._log(f"{guard.upper()}GUARD_{mnemonic}", words)

    # ---- what a tree acts upon ----

    def set_state(self, tree: Tree, port: Port) -> None:
        attachment = self._switch.held.get(port.name)
        if attachment is not None and tree.vlan in attachment.tags:
            self._switch.set_state(attachment, tree.vlan, port.state)

    def send(self, tree: Tree, port: Port, unit: Bpdu) -> None:
        attachment = self._switch.held.get(port.name)
        if attachment is None or self._switch.plane is None:
            return
        plane, number, trunk = self._switch.plane, attachment.number, attachment.trunk
        if trunk:
            plane.transmit(number, tree.vlan, bpdu.cisco_frame(attachment.mac, unit, tree.vlan))
        if not trunk or tree.vlan == 1:
            plane.transmit_raw(number, 0, bpdu.ieee_frame(attachment.mac, unit))

    def forget(self, tree: Tree, port: Port) -> None:
        attachment = self._switch.held.get(port.name)
        if attachment is not None:
            self._switch.order("flush", attachment.number, tree.vlan)

    def set_ageing(self, tree: Tree, *, fast: bool) -> None:
        usual = self._switch.config.get("ageing", {}).get(str(tree.vlan), _AGEING)
        self._switch.order("age", tree.vlan, round(tree.times[2]) if fast else usual)

    # ---- what is asked ----

    def waiting(self) -> list[str]:
        """Return what is not settled yet."""
        return [
            f"spanning tree of VLAN {vlan}: {port} does not forward yet"
            for vlan, tree in sorted(self._trees.items())
            for port in tree.waiting
        ]

    def state(self) -> dict[str, Any]:
        """Return bridge, root and ports by VLAN."""
        return {str(vlan): tree_state(tree) for vlan, tree in sorted(self._trees.items())}
