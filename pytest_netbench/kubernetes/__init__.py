"""Kubernetes on paper: network policies and applications. Pure: no process, no socket, no file."""
