"""IP SLA operations and tracked objects."""
