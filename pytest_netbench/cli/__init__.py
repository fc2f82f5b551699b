"""The ``netbench`` command: operations without a pytest run. One module per subcommand."""
