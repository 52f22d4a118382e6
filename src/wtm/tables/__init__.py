"""Read the caller's tables, and learn and evaluate conditions on their columns."""
