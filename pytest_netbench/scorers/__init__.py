"""TrialRecord to Score; pure."""
