"""The caller's tables: reading them, and the conditions that their columns become."""
