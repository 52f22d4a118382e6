"""The experiments: each has functions that a sub-command of ``wtm reproduce`` calls with its options."""
