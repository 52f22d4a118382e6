"""Checks of the caller's arguments."""
