"""The process that is PID 1 of a lab. Imports the standard library only."""
