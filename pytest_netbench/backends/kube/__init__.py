"""Clusters of Kubernetes: a real control plane, and machines and pods that are nodes of a lab."""
