"""Decoys: what looks like a cause in a network and is none. They are made before anything is injected."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from pytest_netbench.model.base import Model

DecoyKind = Literal["change", "flap", "off"]


class Decoy(Model):
    """Something that looks like a cause.

    ``change``: a colleague configures something that is right, shortly before an agent looks. ``flap``: a cable loses
    its carrier for a moment, and sessions over it come back. ``off``: a host is switched off, by intent.
    """

    kind: DecoyKind
    node: str = Field(description="where; of a cable one end")
    interface: str | None = Field(None, description="flap: the end of the cable")
    peer: str | None = Field(None, description="flap: the node at its other end")
    protocol: Literal["bgp", "ospf"] | None = Field(None, description="flap: of the session over the cable")
    addresses: tuple[str, str] | None = Field(
        None, description="flap: the ends of the session, at the node and at its peer"
    )
    lines: tuple[str, ...] = Field((), description="change: what is configured, commands of the node's platform")
