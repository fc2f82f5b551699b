"""The former place of ``pytest_netbench.platforms.cli_ssh``, for backends that import it by that name."""
