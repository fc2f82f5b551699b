"""TrialResults to terminal, JUnit and JSONL; pure renderers."""
