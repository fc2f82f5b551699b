"""Services of a router that neither FRR nor the kernel offers: first-hop redundancy, DHCP, IP SLA and tracking, syslog.

They run in the node as processes of their own (``programs/``, standard library only), in lab time. ``runner`` on pytest's
side starts them and speaks to them as to FRR's daemons, over a vty socket: a new configuration is acknowledged, an error
comes back, and state is read when it is asked for.

A service is a module in ``programs/`` with a class ``Service``, listed in ``programs/common/host.py``. ``DesiredState.services`` names
the services a router needs, each with its configuration as JSON; no entry is no service.
"""
