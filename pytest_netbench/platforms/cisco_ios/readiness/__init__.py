"""Readiness of IOS devices: what a lab still waits for."""
