"""The dialect ``arista_eos``."""

from pytest_netbench.dialects.arista_eos.dialect import AristaEosDialect

__all__ = ["AristaEosDialect"]
