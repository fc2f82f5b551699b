"""The netbench command."""
