"""Flows as OpenFlow 1.3 messages, encoded and decoded by os-ken."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Final

from os_ken.ofproto import ofproto_parser, ofproto_v1_3, ofproto_v1_3_parser

from pytest_netbench.dialects.openflow_controller.fabric import Rule

OFP: Final = ofproto_v1_3
PARSER: Final = ofproto_v1_3_parser
DATAPATH: Final = SimpleNamespace(ofproto=OFP, ofproto_parser=PARSER, id=None)
"""All that messages need of os-ken's own sessions, which are not used: they run on eventlet."""
HEADER: Final = OFP.OFP_HEADER_SIZE
_REPLY: Final = 2


def decode(data: bytes) -> Any:
    """Return the message in ``data``, or ``None`` for one that os-ken cannot read."""
    version, kind, length, number = ofproto_parser.header(data)
    if version != OFP.OFP_VERSION and kind != OFP.OFPT_HELLO:
        return None
    return ofproto_parser.msg(DATAPATH, OFP.OFP_VERSION, kind, length, number, data)


def encode(message: Any, number: int) -> bytes:
    """Return the bytes of a message with a transaction number."""
    message.set_xid(number)
    message.serialize()
    return bytes(message.buf)


def adding(rule: Rule) -> Any:
    """The message that adds a flow, or replaces the one with its match and priority."""
    actions = [action for one in rule.actions for action in _actions(one)]
    return PARSER.OFPFlowMod(
        DATAPATH,
        command=OFP.OFPFC_ADD,
        priority=rule.priority,
        match=_match(rule),
        instructions=[PARSER.OFPInstructionActions(OFP.OFPIT_APPLY_ACTIONS, actions)],
    )


def removing(rule: Rule) -> Any:
    """The message that removes exactly this flow."""
    return PARSER.OFPFlowMod(
        DATAPATH,
        command=OFP.OFPFC_DELETE_STRICT,
        priority=rule.priority,
        out_port=OFP.OFPP_ANY,
        out_group=OFP.OFPG_ANY,
        match=_match(rule),
    )


def _match(rule: Rule) -> Any:
    return PARSER.OFPMatch(**dict(rule.match))


def _actions(action: tuple[Any, ...]) -> list[Any]:
    kind, *values = action
    if kind == "output":
        return [PARSER.OFPActionOutput(values[0])]
    if kind == "set":
        return [PARSER.OFPActionSetField(**{values[0]: values[1]})]
    if kind == "ttl":
        return [PARSER.OFPActionDecNwTtl()]
    mac, address = values
    return [
        PARSER.NXActionRegMove(src_field="eth_src", dst_field="eth_dst", n_bits=48),
        PARSER.OFPActionSetField(eth_src=mac),
        PARSER.OFPActionSetField(arp_op=_REPLY),
        PARSER.NXActionRegMove(src_field="arp_sha", dst_field="arp_tha", n_bits=48),
        PARSER.NXActionRegMove(src_field="arp_spa", dst_field="arp_tpa", n_bits=32),
        PARSER.OFPActionSetField(arp_sha=mac),
        PARSER.OFPActionSetField(arp_spa=address),
        PARSER.OFPActionOutput(OFP.OFPP_IN_PORT),
    ]
