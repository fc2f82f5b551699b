"""The ``netbench`` command: what can be done without a pytest run. One module per subcommand."""
