"""What the command line asks of a run, checked and kept on `config.stash`. It knows no item and starts nothing."""
