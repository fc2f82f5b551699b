"""Intervals for trials that are alike within a cluster: those of one task, or of tasks of one topology.

Trials of one task tell less about other tasks than as many trials of as many tasks. These intervals are for claims
about tasks that were not run, of which the clusters are taken as a sample.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from pytest_netbench.randomness import seeded
from pytest_netbench.stats.groups import LEVEL, Estimate, student
from pytest_netbench.stats.intervals import Z_95, Interval, wilson

Clusters = Sequence[Sequence[float]]
"""Of each cluster: the values of its trials, 0 to 1."""
RESAMPLES = 2_000


def clustered_share(clusters: Clusters) -> Interval:
    """Wilson's interval for a share, over as many trials as the clustered ones are worth.

    Their effective number is that of independent trials whose share would vary as much as the one seen (Korn and
    Graubard 1998), between the number of clusters and that of trials, and made smaller for few clusters as Student's t
    asks. If all trials were equal, nothing is known of how clusters vary: each then counts as one trial. With one trial
    in each cluster, and with one cluster alone, it is Wilson's interval over the trials.

    Args:
        clusters: Values are 0 or 1, no cluster is empty.

    Raises:
        ValueError: There are no trials.
    """
    successes, trials, count = math.fsum(map(math.fsum, clusters)), sum(map(len, clusters)), len(clusters)
    if trials in (0, count) or count == 1:
        return wilson(successes, trials)
    share = successes / trials
    variance = _variance(clusters, share)
    effective = float(trials) if variance == 0 else share * (1 - share) / variance
    if not 0 < share < 1:
        effective = float(count)
    effective = min(max(effective, float(count)), float(trials)) * (Z_95 / student(count - 1)) ** 2
    return wilson(share * max(1.0, effective), max(1.0, effective))


def clustered_mean(clusters: Clusters) -> Estimate | None:
    """The mean over all trials with Student's t interval by clusters, cut off at 0 and 1; ``None`` without trials.

    The standard error is the one that is robust to clusters (Liang and Zeger 1986). The interval is ``None`` of a
    single cluster and of equal values, which do not tell how others vary.
    """
    values = [value for cluster in clusters for value in cluster]
    if not values:
        return None
    mean = math.fsum(values) / len(values)
    if len(clusters) == 1 or min(values) == max(values):
        return Estimate(value=mean, interval=None, count=len(values))
    half = student(len(clusters) - 1) * math.sqrt(_variance(clusters, mean))
    return Estimate(
        value=mean, interval=Interval(low=max(0.0, mean - half), high=min(1.0, mean + half)), count=len(values)
    )


def bootstrap_mean(clusters: Clusters, *, seed: int = 0) -> Estimate | None:
    """As ``clustered_mean`` with a percentile interval of 2,000 samples of whole clusters (Efron 1979).

    It takes no distribution for granted, and is too narrow with few clusters.

    Args:
        clusters: No cluster is empty.
        seed: Of the samples.
    """
    made = clustered_mean(clusters)
    if made is None or made.interval is None:
        return made
    source = seeded(seed)
    sums = [(math.fsum(cluster), len(cluster)) for cluster in clusters]
    means = sorted(_ratio(source.choices(sums, k=len(sums))) for _ in range(RESAMPLES))
    cut = round(RESAMPLES * (1 - LEVEL) / 2)
    interval = Interval(low=means[cut], high=means[-1 - cut])
    return Estimate(value=made.value, interval=interval, count=made.count)


def _ratio(sums: Sequence[tuple[float, int]]) -> float:
    return math.fsum(total for total, _ in sums) / sum(count for _, count in sums)


def _variance(clusters: Clusters, mean: float) -> float:
    """The variance of the mean over all trials, robust to clusters."""
    count, trials = len(clusters), sum(map(len, clusters))
    squares = math.fsum(math.fsum(value - mean for value in cluster) ** 2 for cluster in clusters)
    return squares * count / (count - 1) / trials**2
