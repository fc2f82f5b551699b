"""Projects that exist already: used for a trial, put back as they were, never deleted."""
