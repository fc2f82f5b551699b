"""How an item runs its trial here: fixtures, agents, cassettes, kept labs. It does not report or schedule."""
