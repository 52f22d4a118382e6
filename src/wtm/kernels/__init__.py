"""Numba kernels: arrays in, arrays out; no objects, no checks, no I/O."""
