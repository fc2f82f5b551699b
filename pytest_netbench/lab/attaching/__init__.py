"""Networks that exist already: their devices matched to a task's nodes, their configurations exchanged and put back."""
