"""Words for new names: plants, animals and stones, which no configuration language has; and names that stay."""

from __future__ import annotations

from typing import Final

_WORDS: Final = (
    "abalone acacia agate alder aloe anchovy anise apricot aspen aster avocet azalea badger balsam bamboo banyan "
    "basalt basil beaver beech begonia birch bison bittern bluebell borage boxwood bramble bream briar bulrush "
    "buzzard cactus camellia canary caraway cardamom carob carp catalpa cedar celery chalk cherry chervil chestnut "
    "chicory chive cicada cinnamon citron clematis clover cobalt coral cornel cowslip crocus curlew cypress daffodil "
    "dahlia daisy damson dill dolphin dove dunlin ebony egret elder elm ermine fennel fern ferret fig finch flax "
    "flint foxglove freesia fuchsia gannet garnet gazelle gentian geranium ginger ginkgo gneiss gorse granite grebe "
    "grouse guava gull hazel heather hemlock hemp heron hibiscus hickory holly hornbeam hyacinth hyssop ibex ibis ivy "
    "jackdaw jade jasmine jasper juniper kestrel kiwi lapwing larch laurel lavender lemon lichen lilac lily limpet "
    "linden linnet lobelia lotus lupin lynx madder magnolia magpie mallow maple marigold marjoram marmot medlar "
    "mimosa mulberry myrtle nettle nightjar nutmeg oak obsidian oleander olive onyx opal orchid oriole osier osprey "
    "otter oyster pansy papaya parsley peony petrel pheasant pine plover plum poplar poppy primrose puffin pumice "
    "quail quartz quince rabbit ragwort rosemary rowan sable saffron salmon sapphire sedge sequoia shale shrike "
    "siskin skylark slate snipe snowdrop sorrel sparrow spruce squill starling stork sumac swallow sycamore tamarind "
    "tamarisk tansy tapir teal teasel tern thistle thrush thyme topaz trout tulip turmeric umber vanilla verbena "
    "vetch wagtail walnut warbler weasel wheatear whimbrel willow wisteria woodcock wren yarrow yew zinnia"
)
_ORDINARY: Final = (
    "Other access admin blue center cleaned customer far heating infected inside internet lifts north other outside "
    "partner red remote south"
)
_KEPT: Final = (
    "ACL BGP CPU DEFAULT DHCP DMZ DNS DSCP ICMP IGMP IOS LAN MED NAT NTP OSPF QOS RIP SNMP SSH TCP UDP VLAN VPN WAN"
)

WORDS: Final = tuple(_WORDS.split())

ORDINARY: Final = frozenset(_ORDINARY.split())
"""Names of nodes of the corpus that are also ordinary words: in prose they stay as they are."""

KEPT_NAMES: Final = frozenset(_KEPT.split())
"""Names of objects that are words of networking: they stay, because prose uses them in their common meaning."""
