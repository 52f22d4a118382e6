"""The machine of each class, its training and its votes."""
