"""The configuration of a router whose FRR runs already: exchanged, and put back line by line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from pytest_netbench.backends.containerlab.node import ContainerNode
from pytest_netbench.errors import LabError
from pytest_netbench.lab.attaching.configs import Configs
from pytest_netbench.lab.attaching.site import Device
from pytest_netbench.model.trial import RefusedLine
from pytest_netbench.platforms.frr import adoption

_SHOWN: Final = 12
_FORWARDING: Final = ("no ip forwarding", "no ipv6 forwarding")
# the kernel deletes its objects of next hops with a carrier, and zebra goes on to use them (FRR issue 19107)
_OBJECTS: Final = "zebra nexthop kernel enable"


class _Typed:
    """What ``Configs`` asks of a driver, for a router whose daemons run already."""

    def __init__(self, driver: Any) -> None:
        self._driver = driver
        self.before_typing: Callable[[], object] = lambda: None

    def running_config(self, node: ContainerNode) -> str:
        return adoption.running_config(node)

    def apply(self, node: ContainerNode, commands: Sequence[str]) -> Any:
        return self._driver.apply_unseen(node, commands)

    def boot(self, node: ContainerNode, config: str) -> list[RefusedLine]:
        self.before_typing()
        return adoption.load(node, config)


class RouterConfigs:
    """Exchanges the configuration of a router.

    Args:
        node: It.
        driver: The driver ``frr``.
    """

    def __init__(self, node: ContainerNode, driver: Any) -> None:
        self._node = node
        self._typed = _Typed(driver)
        self._configs = Configs(Device(name=node.name, dialect="frr"), self._typed, node)

    def text(self) -> str:
        """The running config, as vtysh shows it."""
        return adoption.running_config(self._node)

    def load(self, startup_config: str, *, before_typing: Callable[[], object]) -> list[RefusedLine]:
        """Remove what is configured and type a startup config; return the refused lines.

        Args:
            startup_config: What is typed.
            before_typing: Called in between.

        Raises:
            LabError: Something cannot be removed.
        """

        def prepared() -> None:
            before_typing()
            adoption.load(self._node, f"no {_OBJECTS}")

        self._typed.before_typing = prepared
        # vtysh shows the name of the container, whatever is typed
        lines = ["!" if line.startswith("hostname ") else line for line in startup_config.splitlines()]
        return self._configs.load("\n".join(lines))

    def restore(self, saved: str) -> None:
        """Make the running config what it was, line by line.

        Raises:
            LabError: It is not; the text has the lines.
        """
        wanted = _lines(saved)
        if _lines(self.text()) == wanted:
            return
        # all is typed anew, in the order in which it was shown, which is the order of some lists
        self._typed.before_typing = lambda: None
        self._configs.load(saved)
        self._configs.restore(saved)
        found = _lines(self.text())
        if found != wanted:
            left = [*(f"- {line}" for line in wanted if line not in found)]
            left += [f"+ {line}" for line in found if line not in wanted]
            left = left or ["the same lines, in another order"]
            raise LabError("\n".join([f"{self._node.name}: lines of the running config differ:", *left[:_SHOWN]]))


def _lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line not in _FORWARDING]
