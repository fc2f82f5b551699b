"""How ``configure`` proves a task: one module per claim, measured on fresh labs."""
