"""Which devices, methods and commands an agent may use."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pytest_netbench.ani.extras import EXTRAS
from pytest_netbench.ani.methods import METHODS
from pytest_netbench.errors import PolicyViolation
from pytest_netbench.model.agentsettings import CommandRule
from pytest_netbench.model.trial import MethodSpec


@dataclass(frozen=True, kw_only=True)
class Policy:
    """The permitted devices and methods; ``None`` permits all.

    ``devices`` limits configuration and commands. ``get-topology`` still shows every device: it is not secret,
    and an intent may refer to devices that must not be changed. The control of a node forbids more (see
    ``ani.access``). ``extras`` are the enabled methods beyond the draft's
    four; ``methods`` does not apply to them. ``commands`` are rules for single commands (see ``ani.commands``).
    """

    devices: frozenset[str] | None = None
    methods: frozenset[str] | None = None
    extras: frozenset[str] = frozenset()
    commands: tuple[CommandRule, ...] = ()

    @property
    def offered(self) -> tuple[MethodSpec, ...]:
        """The methods that are permitted."""
        permitted = (spec for name, spec in METHODS.items() if self.methods is None or name in self.methods)
        return (*permitted, *(spec for name, spec in EXTRAS.items() if name in self.extras))

    def check_method(self, method: str) -> None:
        """Raise ``PolicyViolation`` unless ``method`` is permitted."""
        if method in EXTRAS:
            if method not in self.extras:
                raise PolicyViolation(
                    f"method {method!r} is switched off: it is an extra that the agent's file must ask for",
                    kind="method",
                )
            return
        if self.methods is not None and method not in self.methods:
            raise PolicyViolation(
                f"method {method!r} is not permitted in this task (permitted: {listing(self.methods)})",
                kind="method",
            )

    def permits_device(self, device: str) -> bool:
        """Whether configuration and commands of ``device`` are permitted."""
        return self.devices is None or device in self.devices

    def check_device(self, device: str) -> None:
        """Raise ``PolicyViolation`` unless configuration and commands of ``device`` are permitted."""
        if self.devices is not None and device not in self.devices:
            raise PolicyViolation(
                f"device {device!r} is not permitted in this task (permitted: {listing(self.devices)})",
                kind="device",
            )


def listing(names: Iterable[str]) -> str:
    """Names as error messages list them."""
    return ", ".join(repr(name) for name in sorted(names)) or "none"
