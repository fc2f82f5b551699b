"""Stands before the API server: says who asks, lets changes through while they are allowed, serves logs and exec."""
