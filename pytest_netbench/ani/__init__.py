"""The Agent-Network Interface: four methods, policy, budget, recording, JSON-RPC."""
