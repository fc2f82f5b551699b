"""The pytest plugin: what pytest calls when it starts. Heavy imports are deferred until a task is collected."""

from pytest_netbench.plugin.options import pytest_addoption
from pytest_netbench.plugin.registration import pytest_addhooks, pytest_configure

__all__ = ["pytest_addhooks", "pytest_addoption", "pytest_configure"]
