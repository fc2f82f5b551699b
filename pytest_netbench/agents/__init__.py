"""Who is evaluated: oracle, nop, LLM strategies."""
