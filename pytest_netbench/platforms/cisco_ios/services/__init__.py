"""Services of a router that neither FRR nor the kernel offers: first-hop redundancy, DHCP, IP SLA and tracking, syslog.

They run in the node as separate processes (``programs/``, standard library only), in lab time. ``runner`` starts them
from pytest's side and sends them commands over a vty socket, as to FRR's daemons. A configuration is acknowledged or
refused with an error; state is returned on request.

A service is a module in ``programs/`` with a class ``Service``, listed in ``programs/common/host.py``.
``DesiredState.services`` has the services that a router needs, each with its configuration as JSON. A service without
an entry does not run.
"""
