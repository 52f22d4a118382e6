"""Measurements of speed and of defaults; each module runs as ``python -m benchmarks.NAME``."""
