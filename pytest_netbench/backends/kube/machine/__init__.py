"""What stands in for the programs of a machine: kubelet, service proxy and enforcer of network policies."""
