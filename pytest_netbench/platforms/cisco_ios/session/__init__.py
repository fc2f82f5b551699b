"""Sessions at the command line, and their users: the startup config and rehearsals."""
