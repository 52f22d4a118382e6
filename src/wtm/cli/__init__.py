"""The commands ``wtm train``, ``wtm predict`` and ``wtm rules``: from a file with a table to a model and back."""

__all__ = ["MISSING"]

MISSING = "?,NA,N/A,NaN,nan,NULL,null"
"""What means a missing value in a CSV file, beside nothing, unless the user says otherwise."""
