"""Labels of faults of a cluster, and the levels that have them: NetArena's Table 6, and ours beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final, Literal

ObjectLabel = Literal["RI", "AI", "CP", "CPR", "AE", "RE", "DNS", "SEL", "PEER", "NS", "LABEL", "DENY", "ALLOW"]
WorkerLabel = Literal["SVC", "DNSDROP", "CUT"]
Label = ObjectLabel | WorkerLabel

FAULTS: Final[Mapping[ObjectLabel, str]] = {
    "RI": "k8s-ingress-removed",
    "AI": "k8s-ingress-added",
    "CP": "k8s-port-wrong",
    "CPR": "k8s-protocol-wrong",
    "AE": "k8s-egress-added",
    "RE": "k8s-egress-removed",
    "DNS": "k8s-dns-egress-removed",
    "SEL": "k8s-pod-selector-wrong",
    "PEER": "k8s-peer-selector-wrong",
    "NS": "k8s-namespace-selector-wrong",
    "LABEL": "k8s-pod-label-wrong",
    "DENY": "k8s-policy-denying",
    "ALLOW": "k8s-policy-allowing",
}
"""By label: the fault of an object. Not what is installed: a fault of another package must not change the draws."""
WORKER_FAULTS: Final[Mapping[WorkerLabel, str]] = {
    "SVC": "k8s-worker-services-dropped",
    "DNSDROP": "k8s-worker-dns-dropped",
    "CUT": "k8s-worker-cut-off",
}
"""By label: the fault of a machine. In pairs they come last: a machine that is cut off takes no object any more."""
ALL: Final[Mapping[Label, str]] = dict((*FAULTS.items(), *WORKER_FAULTS.items()))
NETARENA: Final[tuple[ObjectLabel, ...]] = ("RI", "AI", "CP", "CPR", "AE")
LEVELS: Final[dict[int, tuple[str, ...]]] = {
    1: NETARENA,
    2: ("RI+AI", "RI+CP", "RI+CPR", "AI+CP", "AI+CPR"),
    3: ("CP+CPR", "CP+AE", "CPR+AE", "RI+AE", "AI+AE"),
}
"""By level: the labels of NetArena's Table 6."""


def of_level(level: int, labels: Sequence[Label]) -> Iterator[str]:
    """Return what can be drawn at a level if these labels may occur: with ours, single ones and pairs of level 2."""
    yield from (label for label in LEVELS[level] if set(label.split("+")) <= set(labels))
    ours = set(labels) - set(NETARENA)
    if level == 1:
        yield from (label for label in ALL if label in ours)
    if level == 2:
        chosen = [label for label in ALL if label in labels]
        yield from ("+".join(pair) for pair in combinations(chosen, 2) if ours & set(pair))
