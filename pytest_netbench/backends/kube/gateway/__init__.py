"""Stands before the API server: says who asks, lets changes through while they are allowed, and serves logs and exec."""
