"""The catalogue of faults: what each breaks, how it is injected, observed and repaired."""
