"""VectorEpisode: several episodes at once, each in a process of its own, behind Gymnasium's vector interface."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, Self

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from pytest_netbench.episodes import Reward
from pytest_netbench.episodes.supply import GivenTask, supply_of
from pytest_netbench.errors import UsageError
from pytest_netbench.gymnasium.environment import SEEDS, NetbenchEnv, spaces_of_texts
from pytest_netbench.gymnasium.places import Place
from pytest_netbench.gymnasium.seats import LocalSeat, Seat
from pytest_netbench.trial.settings import Settings

Stepped = tuple[tuple[str, ...], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]


class VectorEpisode(VectorEnv[Any, Any, Any]):  # type: ignore[misc]  # gymnasium is not a dependency
    """``n`` episodes at once as a vector environment of Gymnasium. A context manager; closing it removes everything.

    After an episode is over, the next ``step`` ignores the action and begins the next one
    (``AutoresetMode.NEXT_STEP``). An episode whose lab or process breaks is truncated with reward 0.0 and
    ``info["status"] == "error"``, ``info["error"]`` says why; the other episodes go on.

    Args:
        task: As for ``Episode``. Each seat has a series of its own.
        n: How many episodes there are at once.
        reward: As for ``Episode``. It must be picklable by ``cloudpickle``.
        budget: As for ``Episode``.
        settings: As for ``Episode``.
        ray: A Ray cluster whose nodes have the processes, one core for each: ``auto``, ``local`` or an address, as for
            ``--netbench-ray``. A connection that the caller has is used. Without it they are on this machine.

    Raises:
        InputError: There is no such task or generator, or an argument is wrong.
        RequirementMissing: ``ray`` is given, and Ray is not installed.
    """

    def __init__(
        self,
        task: GivenTask = "repair-routing",
        *,
        n: int,
        reward: Reward | None = None,
        budget: Mapping[str, float | str | None] | None = None,
        settings: Settings | None = None,
        ray: str | None = None,
    ) -> None:
        self.closed = True  # until there is something to close
        if type(n) is not int or n < 1:
            raise UsageError(f"n={n!r:.80}: must be a whole number, 1 or above")
        arguments: dict[str, Any] = {"task": task, "reward": reward, "budget": budget, "settings": settings}
        NetbenchEnv(**arguments).close()  # wrong arguments are errors here, not in n processes
        self.num_envs = n
        self.metadata = {**NetbenchEnv.metadata, "autoreset_mode": AutoresetMode.NEXT_STEP}
        self.single_action_space, self.single_observation_space = spaces_of_texts()
        self.action_space = batch_space(self.single_action_space, n)
        self.observation_space = batch_space(self.single_observation_space, n)
        drawn = supply_of(task).drawn
        with ExitStack() as opened:
            seats: Sequence[Seat] = (
                [LocalSeat(arguments) for _ in range(n)] if ray is None else _on_cluster(opened, ray, n, arguments)
            )
            self._opened = opened.pop_all()
        self._places = tuple(Place(seat, drawn=drawn) for seat in seats)
        self.closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[tuple[str, ...], dict[str, Any]]:
        """Begin ``n`` episodes. Those that are not over are dropped.

        Args:
            seed: Of the series of the first episode; the following ones have the following seeds. Or a seed for each.
                Without a seed the series go on; the first ``reset`` draws one for each.
            options: ``index``: the place in all series.

        Raises:
            UsageError: An option is unknown, or there is not one seed for each episode.
            InfrastructureError: An episode could not be set up, three times in a row.
        """
        self._require_open()
        given = dict(options or {})
        index = given.pop("index", None)
        if given:
            raise UsageError(f"options: unknown option {next(iter(given))!r:.80} (known: 'index')")
        for place, one in zip(self._places, self._seeds(seed), strict=True):
            place.go_to(one, index)
        starting = list(self._places)
        while starting:
            self._exchange([(place, None) for place in starting])
            starting = [place for place in starting if place.over]
        return self._texts(), self._infos([place.heard.info for place in self._places])

    def step(self, actions: Sequence[str]) -> Stepped:
        """Carry out one action in each episode. Where an episode is over, begin the next one.

        Raises:
            UsageError: There is not one action for each episode, or no ``reset`` came before.
            InfrastructureError: An episode could not be set up, three times in a row. The next ``step`` goes on.
        """
        self._require_open()
        if len(actions) != self.num_envs:
            raise UsageError(f"step: {len(actions)} actions for {self.num_envs} episodes")
        if not all(place.begun for place in self._places):
            raise UsageError("no episodes are running: call reset() before step()")
        self._exchange(list(zip(self._places, actions, strict=True)))
        heard = [place.heard for place in self._places]
        rewards = np.array([one.reward for one in heard], dtype=np.float64)
        terminated = np.array([one.terminated for one in heard], dtype=np.bool_)
        truncated = np.array([one.truncated for one in heard], dtype=np.bool_)
        return self._texts(), rewards, terminated, truncated, self._infos([one.info for one in heard])

    def close_extras(self) -> None:
        """End all processes, side by side."""
        for place in self._places:
            place.seat.leave()
        for place in self._places:
            place.seat.close()
        self._opened.close()

    def _exchange(self, asked: Sequence[tuple[Place, str | None]]) -> None:
        """Send all actions (``None``: begin an episode), then wait for all answers, then raise what failed."""
        waiting = [place for place, _ in asked]
        errors: list[Exception] = []
        try:
            for place, action in asked:
                place.ask(action)
            while waiting:
                error = waiting[0].hear()
                errors += [] if error is None else [error]
                del waiting[0]
        except BaseException:  # such as KeyboardInterrupt: an answer that comes later would belong to no request
            for place in waiting:
                place.abandon()
            raise
        if errors:
            raise errors[0]

    def _seeds(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        if seed is None:
            return [None if place.begun else int(self.np_random.integers(SEEDS)) for place in self._places]
        if isinstance(seed, int):
            return [seed + number for number in range(self.num_envs)]
        if len(seed) != self.num_envs:
            raise UsageError(f"reset: {len(seed)} seeds for {self.num_envs} episodes")
        return list(seed)

    def _texts(self) -> tuple[str, ...]:
        return tuple(place.text for place in self._places)

    def _infos(self, infos: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
        together: dict[str, Any] = {}
        for number, info in enumerate(infos):
            together = self._add_info(together, dict(info), number)
        return together

    def _require_open(self) -> None:
        if self.closed:
            raise UsageError("the VectorEpisode is closed: make another one")


def _on_cluster(opened: ExitStack, address: str, n: int, arguments: Mapping[str, Any]) -> list[Seat]:
    """Connect to a cluster until ``opened`` is closed, and have ``n`` seats there."""
    from pytest_netbench.distributed.cluster import check_installed, connected  # for Ray only
    from pytest_netbench.gymnasium.rayseats import RaySeat

    asked = f"ray={address!r}"
    check_installed(asked)
    cluster = opened.enter_context(connected(address, asked=asked))
    cores = sum(node.cores for node in cluster.nodes().values())
    if cores < n:
        raise UsageError(f"n={n}: the cluster has {cores} cores, and each episode takes one")
    return [RaySeat(cluster, arguments) for _ in range(n)]
