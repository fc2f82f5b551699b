"""What stays on a device whose configuration is exchanged, by dialect: the ways to reach and to manage it. Data."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pytest_netbench.lab.attaching.matching import full_name
from pytest_netbench.lab.attaching.site import Device


@dataclass(frozen=True, kw_only=True)
class Standing:
    """What is known of the configurations of a dialect.

    Attributes:
        keeps: How top-level lines begin that stay.
        fixed: Sections that cannot be removed; the lines below them can.
        fresh: Lines that a fixed section has on a device that nobody has configured.
        silent: Lines that say nothing, or change by themselves.
        bare: How lines begin of which only these words are typed to remove them.
        interface: The section of an interface.
    """

    keeps: re.Pattern[str]
    fixed: re.Pattern[str]
    fresh: Sequence[str] = ()
    silent: re.Pattern[str]
    bare: re.Pattern[str] | None = None
    interface: str = "interface {}"

    def managed(self, device: Device) -> str | None:
        """The section of the interface by which a device is managed; ``None`` if that is not known."""
        name = device.management
        return None if name is None else self.interface.format(full_name(device.dialect, name))


STANDING: Final[Mapping[str, Standing]] = {
    "cisco_ios": Standing(
        keeps=re.compile(
            r"(?:no )?(?:version|service|boot|enable|username|user|aaa|tacacs|tacacs-server|radius|radius-server|line"
            r"|ip ssh|ip domain|ip http|ip scp|crypto key|crypto pki|hostname|license|platform|hw-module|redundancy"
            r"|ntp|clock|logging|banner|archive|snmp-server|login|vtp|control-plane|ip cef|ipv6 cef|ip forward-protocol"
            r"|memory-size|mmi|multilink|diagnostic|subscriber|call-home|privilege|transport)(?= |$)"
        ),
        fixed=re.compile(r"interface (?!Loopback|Tunnel|Port-channel|BVI|Dialer|Vlan(?!1$)|\S+\.\d+$)"),
        fresh=("no ip address", "shutdown"),
        silent=re.compile(
            r"(?:!.*|end|exit|exit-\S+|Building configuration.*|Current configuration.*|ntp clock-period.*"
            r"|(?:duplex|speed|negotiation|media-type) (?:auto|rj45))$"
        ),
    ),
    "frr": Standing(
        keeps=re.compile(
            r"(?:no )?(?:frr version|frr defaults|hostname|domainname|service|log|line vty|password|enable)(?= |$)"
        ),
        fixed=re.compile(r"(?:interface|vrf) \S+"),
        # whether packets are forwarded is a variable of the kernel
        silent=re.compile(
            r"(?:!.*|end|exit|exit-\S+|Building configuration.*|Current configuration.*|frr version .*"
            r"|no ip(?:v6)? forwarding)$"
        ),
        bare=re.compile(r"description(?= )"),
    ),
    # the next two are written from documentation only: no such device was ever asked
    "arista_eos": Standing(
        keeps=re.compile(
            r"(?:no )?(?:aaa|username|enable|role|management|ip ssh|tacacs-server|radius-server|snmp-server|logging|ntp"
            r"|clock|banner|hostname|boot|daemon|transceiver|terminal|service|dns|ip domain(?:-name)?|ip name-server"
            r"|ip domain lookup|platform|hardware|queue-monitor|agent|event-handler|alias|prompt|schedule|license"
            r"|ip http|security|monitor|switchport default|spanning-tree mode)(?= |$)"
        ),
        fixed=re.compile(r"interface (?:Ethernet|Management)\S+$"),
        silent=re.compile(r"(?:!.*|end|exit)$"),
    ),
    "juniper_junos": Standing(
        keeps=re.compile(
            r"(?:system (?:login|services|root-authentication|authentication-order|radius-server|radius-options"
            r"|tacplus-server|tacplus-options|syslog|ntp|name-server|domain-name|time-zone|license|autoinstallation"
            r"|processes|management-instance|commit|archival|ports|max-configurations\S*)|chassis|snmp"
            r"|groups|apply-groups.*|event-options|routing-instances mgmt_junos)(?= |$)"
        ),
        fixed=re.compile(r"(?!)"),
        silent=re.compile(r"(?:version \S+)$"),
        interface="interfaces {}",
    ),
}
"""By dialect; a dialect that is not here cannot be exchanged."""
