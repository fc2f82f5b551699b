"""An episode as an environment of Gymnasium.

Actions and observations are texts: an action is a JSON object as for ``Episode.act``, an observation is what ``str()``
of an ``Observation`` gives. Characters outside the charset of the space are escaped.
"""

from __future__ import annotations

import string
from collections.abc import Mapping
from dataclasses import fields as dataclass_fields
from typing import Any, Final

import gymnasium
from gymnasium import spaces

from pytest_netbench.episodes import Episode, Observation, Reward, Turn
from pytest_netbench.episodes.supply import GivenTask
from pytest_netbench.errors import UsageError
from pytest_netbench.trial.settings import Settings

CHARSET: Final = frozenset(string.printable) - frozenset("\r\x0b\x0c")
LONGEST_ACTION: Final = 200_000
"""Characters. The longest answer of family plan has 65,536, and JSON may escape them."""
LONGEST_OBSERVATION: Final = 200_000
_CUT: Final = "\n[netbench: cut here]"
SEEDS: Final = 2**31
"""Seeds that are drawn are below it."""


class NetbenchEnv(gymnasium.Env[str, str]):  # type: ignore[misc]  # gymnasium is not a dependency
    """``Episode`` as a Gymnasium environment.

    ``terminated`` follows a submission, ``truncated`` a used-up budget. ``info`` has the fields of the ``Turn``, plain.
    Without a seed the first ``reset`` draws one.

    Args:
        task: As for ``Episode``.
        reward: As for ``Episode``.
        budget: As for ``Episode``.
        settings: As for ``Episode``.
        render_mode: ``ansi``: ``render()`` returns the last observation.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 1}

    def __init__(
        self,
        task: GivenTask = "repair-routing",
        *,
        reward: Reward | None = None,
        budget: Mapping[str, float | str | None] | None = None,
        settings: Settings | None = None,
        render_mode: str | None = None,
    ) -> None:
        self.episode = Episode(task, reward=reward, budget=budget, settings=settings)
        self.render_mode = render_mode
        self.action_space, self.observation_space = spaces_of_texts()
        self._text = ""
        self._seeded = False

    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """Begin an episode.

        Args:
            seed: Of the series of draws from now on.
            options: ``task`` and ``index``, as for ``Episode.reset``.

        Raises:
            UsageError: An option is unknown.
        """
        super().reset(seed=seed)
        given = dict(options or {})
        unknown = [name for name in given if name not in ("task", "index")]
        if unknown:
            raise UsageError(f"options: unknown option {unknown[0]!r:.80} (known: 'task', 'index')")
        if seed is None and not self._seeded:
            seed = int(self.np_random.integers(SEEDS))
        self._seeded = True
        observation = self.episode.reset(seed=seed, **given)
        return self._shown(observation), {"task": self.episode.task.slug}

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Carry out one action. Errors are those of ``Episode.act``."""
        observation, reward, done, turn = self.episode.act(action)
        return self._shown(observation), reward, done and not turn.out_of_budget, turn.out_of_budget, _plain(turn)

    def render(self) -> str | None:
        """Return the last observation if the render mode is ``ansi``."""
        return self._text if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Remove everything. Idempotent."""
        self.episode.close()

    def _shown(self, observation: Observation) -> str:
        self._text = text_of(str(observation))
        return self._text


def spaces_of_texts() -> tuple[spaces.Text, spaces.Text]:
    """Return the spaces of actions and of observations."""
    longest = (LONGEST_ACTION, LONGEST_OBSERVATION)
    action, observation = (spaces.Text(one, min_length=0, charset=CHARSET) for one in longest)
    return action, observation


def text_of(text: str) -> str:
    """Return ``text`` in the charset of the observation space, cut to its longest text."""
    kept = "".join(one if one in CHARSET else ascii(one)[1:-1] for one in text)
    return kept if len(kept) <= LONGEST_OBSERVATION else kept[: LONGEST_OBSERVATION - len(_CUT)] + _CUT


def _plain(turn: Turn) -> dict[str, Any]:
    """The turn as plain values; of the result its status and scores."""
    fields = {one.name: getattr(turn, one.name) for one in dataclass_fields(turn) if one.name != "result"}
    result = turn.result
    if result is None:
        return fields
    return {**fields, "status": result.status, "scores": {score.metric: score.value for score in result.scores}}
