"""Labs that run already: used for a trial, put back as they were, never ended."""
