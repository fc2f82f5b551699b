"""Variant: which re-skin of a task of the corpus this is, and all that it replaces."""

from __future__ import annotations

from pydantic import Field

from pytest_netbench.model.base import Model


class Skin(Model):
    """What replaces what. Every part is a bijection, so a skin can be taken off again.

    ``flips`` says how addresses move. Each entry is a prefix ``P/n``: in all addresses in it, the bit behind the first
    ``n`` bits is inverted. So addresses with a common prefix of any length have one of the same length afterwards.
    """

    nodes: dict[str, str] = Field({}, description="names of nodes")
    ordinary: tuple[str, ...] = Field((), description="names of nodes that are words of prose, and stay there")
    names: dict[str, str] = Field({}, description="names of objects in configurations")
    secrets: dict[str, str] = Field({}, description="passwords and keys")
    flips: tuple[str, ...] = Field((), description="prefixes behind which a bit is inverted")
    documentation: dict[str, str] = Field({}, description="exchanged networks for documentation, RFC 5737")
    asns: dict[int, int] = Field({}, description="AS numbers for private use and for documentation")
    eigrp: dict[int, int] = Field({}, description="autonomous systems of EIGRP")
    vlans: dict[int, int] = Field({}, description="VLAN numbers")
    slots: dict[int, int] = Field({}, description="first numbers of IOS interfaces with several numbers")
    ports: dict[int, int] = Field({}, description="numbers of Linux interfaces called eth")
    loopbacks: dict[int, int] = Field({}, description="numbers of IOS loopback interfaces")


class Variant(Model):
    """The re-skin that made a task from one of the corpus.

    The digests are those of the original task, under which its ground truth and its behaviour are recorded.
    """

    seed: int = Field(ge=0)
    digest: str
    truth_digest: str | None = None
    reference_digest: str | None = None
    skin: Skin
