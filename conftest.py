"""Makes the repository root the rootdir of runs over tasks/."""
