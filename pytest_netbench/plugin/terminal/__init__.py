"""What the terminal shows before, during and after a run. It changes no result and no exit status."""
