"""Parts of a variance: of templates, of instances within a template, and of trials of an instance. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

Template = Sequence[Sequence[float]]
"""The values of each instance of a template."""


@dataclass(frozen=True, kw_only=True)
class Components:
    """Parts of the variance of a value.

    Attributes:
        templates: Between templates.
        instances: Between instances of a template; with ``trials`` together if no instance has two.
        trials: Between trials of an instance; ``None`` if no instance has two.
    """

    templates: float
    instances: float
    trials: float | None

    @property
    def shares(self) -> tuple[float, float, float | None] | None:
        """Each part of the sum; ``None`` if all values are equal."""
        total = self.templates + self.instances + (self.trials or 0.0)
        if not total:
            return None
        return self.templates / total, self.instances / total, None if self.trials is None else self.trials / total


def components(templates: Sequence[Template]) -> Components | None:
    """Estimate the parts of a variance by analysis of variance of a nested design with unequal counts.

    Sums of squares are set equal to their expectations (Henderson 1953, method 1; Searle, Casella and McCulloch 1992,
    section 5.2). An estimate below 0 is 0. ``None`` with fewer than two templates, or if none has two instances.
    """
    chosen = [[list(one) for one in template if one] for template in templates]
    chosen = [template for template in chosen if template]
    instances = sum(map(len, chosen))
    if len(chosen) < 2 or instances == len(chosen):
        return None
    has_trials = any(len(one) > 1 for template in chosen for one in template)
    within = _within(chosen) if has_trials else 0.0
    counts = [[len(one) for one in template] for template in chosen]
    total = sum(map(sum, counts))
    of_templates = sum(sum(n * n for n in one) / sum(one) for one in counts)
    mean = sum(value for template in chosen for one in template for value in one) / total
    between_instances = sum(
        len(one) * (_mean([one]) - _mean(template)) ** 2 for template in chosen for one in template
    ) / (instances - len(chosen))
    between = sum(sum(n) * (_mean(t) - mean) ** 2 for n, t in zip(counts, chosen, strict=True)) / (len(chosen) - 1)
    weight = (total - of_templates) / (instances - len(chosen))
    of_instances = max(0.0, (between_instances - within) / weight)
    others = (of_templates - sum(n * n for one in counts for n in one) / total) / (len(chosen) - 1)
    own = (total - sum(sum(one) ** 2 for one in counts) / total) / (len(chosen) - 1)
    of_kinds = max(0.0, (between - within - others * of_instances) / own)
    return Components(templates=of_kinds, instances=of_instances, trials=within if has_trials else None)


def _within(templates: Sequence[Template]) -> float:
    """The mean square within instances."""
    every = [one for template in templates for one in template]
    squares = sum((value - _mean([one])) ** 2 for one in every for value in one)
    return squares / (sum(map(len, every)) - len(every))


def _mean(template: Template) -> float:
    values = [value for one in template for value in one]
    return sum(values) / len(values)
