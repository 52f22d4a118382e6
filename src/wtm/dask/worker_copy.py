"""What tasks get of an estimator."""

import copy
from typing import Any

from wtm.machine.model_state import PredictionModel


def for_workers(estimator: Any, model: PredictionModel | None = None) -> Any:
    """Return a copy of an estimator for one thread, since workers of Dask have their own.

    It reads and packs tables, and with `model` it predicts. It has no callbacks, which may hold anything.
    """
    alone = copy.copy(estimator)
    for name in ("_model", "history_"):
        alone.__dict__.pop(name, None)
    alone.__dict__ |= {"callbacks": None, "random_state": None, "n_jobs": 1}
    if model is not None:
        alone._model = model
    return alone
