"""The family ``configure``: intents in, configuration out."""

from pytest_netbench.families.configure.family import ConfigureFamily

__all__ = ["ConfigureFamily"]
