"""Methods that a family adds to the interface of its tasks."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NamedTuple

from pytest_netbench import deadline
from pytest_netbench.ani.ledger import Ledger
from pytest_netbench.ani.meter import longest_s
from pytest_netbench.ani.methods import validated
from pytest_netbench.ani.watching import Watching
from pytest_netbench.ani.wire import Wire
from pytest_netbench.errors import AniError, TookTooLong
from pytest_netbench.model.trial import MethodSpec
from pytest_netbench.rpccodes import Code

Effect = Literal["changes-begin", "changes-go-on", "devices-rest", "no-device", "none"]
"""What follows once a method has answered.

``none``: nothing; it is refused while devices do not answer. ``no-device``: nothing, and it asks no device.
``devices-rest``: devices answer no more. ``changes-begin``: devices answer, and managed ones may be changed from now
on; before it none may. ``changes-go-on``: devices answer again, and could be changed before.
"""


class Change(NamedTuple):
    """What a request changes: the name of the thing, and what is done to it, a line each."""

    place: str
    lines: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class FamilyMethod:
    """A method that a scene offers.

    Attributes:
        spec: As agents see it.
        params: The model of its parameters.
        answer: Carries out one request. It raises ``AniError`` for a request that is refused, and ``LabError`` if what
            it needs broke, which ends the trial without a score.
        effect: What follows once it has answered.
        change: What a request changes, for whoever watches the work; ``None`` if nothing.
        lab_s: How many lab seconds a request asks for, ``None`` if it does not say; more than are left are refused.
    """

    spec: MethodSpec
    params: type[Wire]
    answer: Callable[[Any], Wire]
    effect: Effect = "none"
    change: Callable[[Any], Change] | None = None
    lab_s: Callable[[Any], float | None] | None = None


class FamilyMethods:
    """Answers the methods that a scene offers, one request at a time.

    Args:
        methods: The methods.
        ledger: Says how long a request may take. A request that is running when the trial ends is broken off.
        watching: Is told of every change.
    """

    def __init__(self, methods: Sequence[FamilyMethod], ledger: Ledger, watching: Watching) -> None:
        self._methods = {method.spec.name: method for method in methods}
        self._ledger = ledger
        self._meter = ledger.meter
        self._watching = watching
        self._resting_since: str | None = None
        self._changes_after = next((one.spec.name for one in methods if one.effect == "changes-begin"), None)
        self.lock = threading.Lock()
        """Held while a request is answered."""

    @property
    def specs(self) -> tuple[MethodSpec, ...]:
        """The methods as agents see them."""
        return tuple(method.spec for method in self._methods.values())

    @property
    def answers(self) -> dict[str, Callable[[Mapping[str, Any]], dict[str, Any]]]:
        """By method: what answers one request, or raises ``AniError`` if it is refused or takes too long."""
        return {name: partial(self._answer, method) for name, method in self._methods.items()}

    def _answer(self, method: FamilyMethod, params: Mapping[str, Any]) -> dict[str, Any]:
        checked = validated(method.spec.name, method.params, params)
        with self.lock:
            self._ledger.refuse_if_closed()
            self._meter.check()
            if method.lab_s is not None and (lab_s := method.lab_s(checked)) is not None:
                self._meter.check_lab(lab_s)
            if method.effect == "devices-rest":
                self._resting_since = method.spec.name
            elif method.effect == "none":
                self.check(changes=method.change is not None)
            try:
                within = deadline.within(longest_s(self._meter.left()["wall_s"]), cancelled=self._ledger.closed.is_set)
                with self._watched(method, checked), within:
                    answer = method.answer(checked).plain()
            except TookTooLong as error:
                raise AniError(f"{method.spec.name}: {error}", code=Code.DEVICE_ERROR) from error
            if method.effect in {"changes-begin", "changes-go-on"}:
                self._resting_since = self._changes_after = None
            return answer

    def _watched(self, method: FamilyMethod, params: Wire) -> AbstractContextManager[None]:
        return nullcontext() if method.change is None else self._watching.change(*method.change(params))

    def check(self, *, changes: bool) -> None:
        """Raise ``AniError`` unless devices answer now, and may be changed now if ``changes`` asks for it."""
        if self._resting_since is not None:
            until = "" if self._changes_after is None else f" until {self._changes_after!r} is called"
            raise AniError(f"no device answers after {self._resting_since!r}{until}", code=Code.POLICY_DENIED)
        if changes and not self.permits_changes:
            raise AniError(f"nothing may be changed until {self._changes_after!r} is called", code=Code.POLICY_DENIED)

    @property
    def permits_changes(self) -> bool:
        """Whether managed devices may be changed now."""
        return self._changes_after is None
