"""Clients of services, run in nodes as their users run them."""

from pytest_netbench.lab.clients.names import Answer, look_up, look_up_all
from pytest_netbench.lab.clients.pages import Page, get
from pytest_netbench.lab.clients.pings import answers

__all__ = ["Answer", "Page", "answers", "get", "look_up", "look_up_all"]
