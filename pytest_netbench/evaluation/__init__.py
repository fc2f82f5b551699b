"""The draft's Task Evaluation Interface: export-final-cfg and run-testcases; never given to an agent."""
