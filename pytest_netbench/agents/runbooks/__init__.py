"""A scripted expert for diagnoses: it reads configs and counters, and compares the two ends of everything.

It is the middle bound of the family ``diagnose``: what a person gets who follows written runbooks and does not think.
"""
