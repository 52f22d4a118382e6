"""Small helpers that have nothing to do with Tsetlin machines."""
