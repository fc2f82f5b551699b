"""Names of nodes: those that the shape gave, or drawn ones, which tell nothing about the place of a node."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random

from pytest_netbench.generators.networks.draft import Device

_PLACES = """
accra agra aarhus basel bergen bilbao cairo cadiz cork dakar delft denver essen evora fez gdansk geneva ghent
graz hanoi havana jaffa jena kiel kobe krakow lagos leon lima linz lyon malmo metz minsk nantes naples nice
odessa oslo padua paris perth pisa porto quito reims riga rome seoul sofia split tampa tartu tokyo trier turin
ulm utrecht vaduz varna vilnius wuhan york zagreb
"""
_TREES = """
acacia alder almond apple ash aspen bamboo beech birch cedar cherry cypress ebony elder elm fig fir hazel
holly juniper larch laurel lemon lime linden maple medlar myrtle oak olive palm peach pear pine plane plum
poplar quince rowan sorb spruce teak walnut willow yew
"""


def draw_names(devices: Sequence[Device], source: Random) -> None:
    """Give each device a drawn name: routers and switches those of places, hosts those of trees."""
    _rename((device for device in devices if device.kind != "host"), _shuffled(_PLACES, source))
    _rename((device for device in devices if device.kind == "host"), _shuffled(_TREES, source))


def _shuffled(words: str, source: Random) -> list[str]:
    listed = words.split()
    source.shuffle(listed)
    return listed


def _rename(devices: Iterable[Device], words: Sequence[str]) -> None:
    for number, device in enumerate(devices):
        turn, place = divmod(number, len(words))
        device.name = words[place] + (str(turn + 1) if turn else "")
