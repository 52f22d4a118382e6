"""Checks of what callers pass: parameters, labels and weights of rows."""
