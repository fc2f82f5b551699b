"""Real packets: exchanges, paths and flows. Runs in forked children of the supervisor; standard library only."""
