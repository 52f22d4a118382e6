"""The caller's tables: how they are read, and the conditions on their columns."""
