"""Generators of tasks on Kubernetes: applications, and faults of their objects that change flows."""
