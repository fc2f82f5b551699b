"""Faults of the objects of a Kubernetes cluster."""
