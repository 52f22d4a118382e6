"""Tools for developing wtm; each runs as ``python -m tools.NAME``."""
