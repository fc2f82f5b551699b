"""What a testbed's file says, as people write it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

from pydantic import Field

from pytest_netbench.documents.durations import Words
from pytest_netbench.model.base import Model

DURATIONS: Final[Words] = {("wait",): "wait_s", ("prompt",): "prompt_s"}
SECRETS: Final = ("password", "enable")
"""Fields whose values only the environment has."""


class Variable(Model):
    """The name of a variable of the environment, which has a secret."""

    env: str = Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", description="name of the variable")


class Entry(Model):
    """A device, or what devices have in common. What is left out is that of the defaults."""

    address: str | None = Field(None, description="name or address of the device, or of its console server")
    port: int | None = Field(None, gt=0, lt=65_536, description="TCP port; 22, or 23 for `telnet`")
    connection: Literal["ssh", "telnet"] | None = Field(None, description="how it is reached; `ssh`")
    dialect: str | None = Field(None, description="its configuration language")
    driver: str | None = Field(None, description="the driver, if it is not the one for the dialect")
    user: str | None = Field(None, description="who logs in")
    password: Variable | None = Field(None, description="`{env: NAME}`: the variable that has the password")
    enable: Variable | None = Field(None, description="`{env: NAME}`: the variable that has the enable secret")
    key: str | None = Field(None, description="file of the private key")
    known_hosts: str | None = Field(
        None, alias="known-hosts", description="file of known host keys, in place of those of `ssh`"
    )
    host_key: Literal["check", "accept-new", "ignore"] | None = Field(
        None,
        alias="host-key",
        description="`check`: only a known key; `accept-new`: learn an unknown one; `ignore`: any",
    )
    node: str | None = Field(None, description="the node of tasks that it stands for, if that is not its name")
    interfaces: tuple[str, ...] | None = Field(None, description="names of all its interfaces")
    management: str | None = Field(None, description="the interface by which it is reached, which is left alone")
    keep: tuple[str, ...] | None = Field(None, description="further lines that stay: how they begin")
    disposable: bool | None = Field(None, description="whether its configuration may be exchanged")


class TestbedFile(Model):
    """A testbed."""

    __test__ = False  # no class of tests, whatever its name

    disposable: bool = Field(False, description="whether the configurations of its devices may be exchanged")
    inventory: str | None = Field(None, description="an inventory of Ansible or Nornir with further devices")
    wait_s: float = Field(600.0, gt=0, description="how long a device is waited for that another run uses; `10m`")
    prompt_s: float = Field(30.0, gt=0, description="within which time a device shows its prompt; `30s`")
    defaults: Entry = Field(Entry(), description="what the devices have in common")
    devices: Mapping[str, Any] = Field({}, description="by name: devices, or what is different from others")
    cables: tuple[str, ...] | None = Field(None, description="cables and LANs, such as `R1 Gi0/0 <-> R2 Gi0/0`")
