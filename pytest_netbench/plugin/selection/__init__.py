"""Which of the collected items this run leaves out: by `-k`, by shard, or because an earlier run has finished them."""
