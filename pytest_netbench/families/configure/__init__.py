"""The family ``configure``: an agent configures a network to satisfy intents."""

from pytest_netbench.families.configure.family import ConfigureFamily

__all__ = ["ConfigureFamily"]
