"""YAML and JSON files as trees that know the line of every key and value; knows nothing of what the files are about."""
