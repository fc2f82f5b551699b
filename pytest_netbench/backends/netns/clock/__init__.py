"""The clock of a lab: how fast it goes, what moves it, and what it showed. Knows no node."""
