"""Examples for fine-tuning, from tasks with their ground truth and from transcripts of trials."""
