"""The specificity that ``s="auto"`` stands for."""

import math

AUTO = "auto"
"""The value of the parameter `s`."""


def automatic_s(n_rows: float, n_classes: int) -> float:
    """Return the fourth root of the number of rows per class, at least 1 and with one digit after the point.

    Square roots are rounded alike on all processors, so that the model does not depend on the processor.
    docs/choosing.md compares this rule with fixed values and with other powers.

    Parameters
    ----------
    n_rows : float
        Number of training rows, or the total of their weights.
    n_classes : int
        Number of classes, including those without rows.
    """
    return max(1.0, round(math.sqrt(math.sqrt(n_rows / n_classes)), 1))
