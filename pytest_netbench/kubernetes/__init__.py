"""Kubernetes without a cluster: objects, network policies, applications. Pure."""
