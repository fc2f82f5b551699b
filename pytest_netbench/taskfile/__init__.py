"""Load, validate and describe task files; import of the draft's JSON."""
