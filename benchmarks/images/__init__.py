"""Accuracy and speed of the machines for images."""
