"""The grammar of the command line as data: patterns of commands per mode, and the parser."""
