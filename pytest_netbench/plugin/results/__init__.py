"""What becomes of results: files, reports, the gate and the exit status. Nothing here runs a trial."""
