"""The default backend: rootless Linux namespaces."""
