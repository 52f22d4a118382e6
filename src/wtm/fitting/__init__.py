"""What surrounds the training in a fit: memory, callbacks, progress, early stopping and warnings."""
