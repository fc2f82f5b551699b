"""The built-in agents: oracle, nop, LLM strategies."""
