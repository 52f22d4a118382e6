"""What surrounds training in a fit: weights of rows, early stopping, callbacks, progress, warnings, interruption."""
