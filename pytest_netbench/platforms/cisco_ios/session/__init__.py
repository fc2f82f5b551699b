"""Sessions at the command line, and what types lines through them: startup config, rehearsals."""
