"""Linux config lines for comparison: canonical form, names a person may choose freely, ordered lists."""

from __future__ import annotations

FREE_NAMES: tuple[tuple[str, str], ...] = (
    ("nft table", r"^table \S+ (\S+)$"),
    ("nft chain", r"^chain (\S+)$"),
    ("nft chain", r"\b(?:jump|goto) ([A-Za-z]\S*)"),
    ("nft set", r"^(?:set|map) (\S+)$"),
    ("nft set", r"@([A-Za-z]\S*)"),
    ("nft comment", r"\bcomment (\"[^\"]*\")"),
    ("qdisc handle", r"^qdisc \S+ ([0-9a-f]+:)(?: |$)"),
    ("class id", r"^class \S+ ([0-9a-f]*:[0-9a-f]+)\b"),
    ("class id", r"\b(?:flowid|classid) ([0-9a-f]*:[0-9a-f]+)\b"),
    ("class id", r"\bparent ([0-9a-f]*:[0-9a-f]+)\b"),
    ("qdisc handle", r"\bparent ([0-9a-f]+:)(?: |$)"),
    ("qdisc handle", r"\bleaf ([0-9a-f]+:)(?: |$)"),
    ("filter sequence", r"\bpref (\d+)\b"),
    ("rule sequence", r"^rule \S+ priority (\d+)\b"),
    ("routing table", r"^routes (\d+)$"),
    ("routing table", r"\blookup (\d+)$"),
    ("bridge", r"\bmaster (\S+)"),
)

_DECLARES = ("type ", "policy ", "flags ", "elements ", "comment ", "typeof ", "size ", "timeout ", "device ")


def normalise(line: str) -> str | None:
    """``line`` with single spaces and no indentation; ``None`` if it is empty or a comment."""
    words = " ".join(line.split())
    return None if not words or words.startswith("#") else words


def ordered_block(parents: tuple[str, ...], line: str) -> str | None:
    """The chain a rule stands in, the filters of an interface, the policy rules; order matters in these."""
    if parents and parents[-1].startswith("chain ") and parents[0].startswith("table "):
        return None if line.startswith(_DECLARES) else " / ".join(parents)
    if parents and line.startswith("filter "):
        return f"filters of {parents[-1]}"
    if not parents and line.startswith("rule "):
        return " ".join(line.split()[:2])
    return None
