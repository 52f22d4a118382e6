"""The specificity that ``s="auto"`` stands for."""

import math

AUTO = "auto"
"""The value of the parameter `s`."""


MOST_FEATURES = 1_000
"""With more, a larger `s` costs accuracy, as on texts."""
_ON_MANY_FEATURES = 3.0


def automatic_s(n_rows: float, n_classes: int, n_features: int) -> float:
    """Return the fourth root of the number of rows per class, with one digit after the point, or 3 with many features.

    It is at least 1. Square roots are rounded alike on all processors, so that the model does not depend on the
    processor. docs/choosing.md compares this rule with fixed values and with other powers.

    Parameters
    ----------
    n_rows : float
        Number of training rows, or the total of their weights.
    n_classes : int
        Number of classes, including those without rows.
    n_features : int
        Number of true/false features.
    """
    if n_features > MOST_FEATURES:
        return _ON_MANY_FEATURES
    return max(1.0, round(math.sqrt(math.sqrt(n_rows / n_classes)), 1))
