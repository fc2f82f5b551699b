"""What a running network is, abstractly: protocols, readiness."""
