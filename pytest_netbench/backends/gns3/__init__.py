"""Deploys labs on a GNS3 server."""
