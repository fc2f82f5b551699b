"""One module for each operating system: its prompts, errors and commands, as data."""
