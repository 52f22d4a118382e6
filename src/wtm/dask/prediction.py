"""Predict and transform collections chunk by chunk."""

from typing import Any

import dask.array as da
import numpy as np
from dask.delayed import delayed
from sklearn.utils.validation import check_is_fitted

from wtm.booleanizer import Booleanizer
from wtm.dask.chunks import chunks_of, example_of, n_rows_of
from wtm.dask.worker_copy import for_workers
from wtm.estimator import Estimator


def apply_by_chunk(estimator: Any, method: str, X: Any) -> Any:
    """Return a lazy array of what a method of a fitted estimator answers for each chunk of X.

    Raises
    ------
    TypeError
        The estimator is none of wtm or lacks the method, or X is no collection.
    ValueError
        The columns of X differ from those of fit.
    """
    if not isinstance(estimator, Estimator | Booleanizer) or not hasattr(estimator, method):
        raise TypeError(f"estimator must have the method {method} and be one of wtm, got {estimator!r}.")
    check_is_fitted(estimator)
    is_model = isinstance(estimator, Estimator)
    alone = for_workers(estimator, estimator._model.for_prediction()) if is_model else estimator
    chunks = chunks_of(X, "X")
    like = _answer(alone, method, example_of(X))[:0]  # which also checks the columns
    shared, answer = delayed(alone, traverse=False), delayed(_answer)
    return da.concatenate(
        [
            da.from_delayed(answer(shared, method, chunk), (n_rows, *like.shape[1:]), meta=like)
            for chunk, n_rows in zip(chunks, n_rows_of(X), strict=True)
        ],
        allow_unknown_chunksizes=True,
    )


def _answer(estimator: Any, method: str, chunk: Any) -> Any:
    if not chunk.shape[0] and isinstance(estimator, Booleanizer):
        return np.empty((0, estimator.n_features_out_), np.bool_)
    return getattr(estimator, method)(chunk)
