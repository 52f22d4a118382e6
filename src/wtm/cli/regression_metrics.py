"""How far predicted numbers are from the true ones."""

from typing import Any

import numpy as np
from sklearn.metrics import mean_absolute_error, r2_score, root_mean_squared_error


def regression_metrics(y: np.ndarray, predicted: np.ndarray, mean: float) -> dict[str, Any]:
    """Return the metrics of rows as plain data, and the error of predicting `mean` for all of them."""
    return {
        "rows": len(y),
        "rmse": float(root_mean_squared_error(y, predicted)),
        "rmse_of_mean": float(root_mean_squared_error(y, np.full(len(y), mean))),
        "mean_absolute_error": float(mean_absolute_error(y, predicted)),
        "r_squared": float(r2_score(y, predicted)) if len(y) > 1 else None,
    }


def spelled_r_squared(metrics: dict[str, Any]) -> str:
    """Return R squared as text."""
    r_squared = metrics["r_squared"]
    return f"R squared: {'not defined for one row' if r_squared is None else f'{r_squared:.4f}'}"
