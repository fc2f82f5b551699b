"""Kubernetes clusters on this machine: a real control plane, without root, Docker and images."""
