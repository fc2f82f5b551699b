"""Recorded answers of models: what is compared of a request, the recording of a trial, and its replay. No I/O."""
