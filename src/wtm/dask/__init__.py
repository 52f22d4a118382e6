"""Fit and predict on collections of Dask, whose rows need not fit into any computer's memory.

A class is a task: the schedule of an epoch says which rows it sees, and nothing else. So a fit on a cluster gives the
same model as on one computer, bit for bit, whatever the number of workers, chunks and lost workers.

Needs the extra `dask`: ``pip install 'weighted-tsetlin-machine[dask]'``.
"""

from typing import Any

try:
    import dask.array
    import distributed  # noqa: F401
except ImportError as error:
    raise ImportError(
        "wtm.dask needs the packages dask and distributed: pip install 'weighted-tsetlin-machine[dask]'."
    ) from error

from wtm.dask.prediction import apply_by_chunk
from wtm.dask.training import fit_collection

__all__ = [
    "class_sums",
    "decision_function",
    "fit",
    "predict",
    "predict_log_proba",
    "predict_proba",
    "transform",
]


def fit(
    estimator: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    X_val: Any = None,
    y_val: Any = None,
    client: Any = None,
) -> Any:
    """Fit a copy of an estimator to collections, on a cluster.

    Rows are read twice: once to learn thresholds, values and labels, and once to be packed into two bits per feature,
    which stay on the workers, spilled to disk if need be. Each class is a task, to which the packed rows that it sees
    are sent: those of an epoch or, if all packed rows take at most 64 MiB and nothing looks at each epoch, those of up
    to 10 epochs. The client has 16 bytes per row, and 80 more per row are used on a worker while an epoch is drawn.

    The model is the same as that of ``estimator.fit`` on the same rows, bit for bit, whatever the chunks and workers,
    if the thresholds are the same. Thresholds are exact quantiles if a column of numbers has at most 2**22 /
    `n_features` different values. Otherwise they come from a mergeable sketch: values are counted in groups of
    neighbours, and each time that the counts of up to 8 chunks are added up, ranks move by less than 2 * `n_features` /
    2**22 of the rows.

    A task whose worker is lost runs again.

    Parameters
    ----------
    estimator : classifier or regressor of wtm
        It stays as it is. With `warm_start` and an estimator that is fitted, the copy resumes its training.
    X : dask.array.Array or dask.dataframe.DataFrame of shape (n_samples, n_features)
        Columns as in the estimator's `fit`, or images. Chunks of sparse matrices must hold only 0 and 1.
    y : dask.array.Array, or series or data frame of Dask, of shape (n_samples,) or (n_samples, n_outputs)
        In the chunks of X.
    sample_weight : dask.array.Array, or series of Dask, of shape (n_samples,), optional
        As in the estimator's `fit`, in the chunks of X. All weights are read by the client first.
    X_val, y_val : array-like, optional
        Validation data in memory. `early_stopping` needs them.
    client : distributed.Client, optional
        The default one if left out.

    Returns
    -------
    estimator
        Fitted, of the same class.

    Raises
    ------
    TypeError
        `estimator` is none of wtm, X, y or `sample_weight` is not a collection, or `client` is not a client.
    ValueError
        There is no client, collections have different chunks, ``strategy="splits"``, ``early_stopping`` without
        validation data, or as in the estimator's `fit`.
    ConnectionError
        The scheduler went away, or the client was closed.
    RuntimeError
        A task lost its worker again and again.
    """
    return fit_collection(estimator, X, y, sample_weight, X_val, y_val, client)


def predict(estimator: Any, X: Any) -> "dask.array.Array":
    """Predict labels or numbers, lazily and chunk by chunk.

    Parameters
    ----------
    estimator : fitted classifier or regressor of wtm
        It is sent to each worker once.
    X : dask.array.Array or dask.dataframe.DataFrame of shape (n_samples, n_features)

    Returns
    -------
    dask.array.Array
        Of the shape and dtype that the estimator's method returns, with the row chunks of X. Those of a data frame have
        unknown lengths.

    Raises
    ------
    TypeError
        `estimator` lacks the method, or X is no collection.
    ValueError
        The columns of X differ from those of fit.
    """
    return apply_by_chunk(estimator, "predict", X)


def predict_proba(estimator: Any, X: Any) -> "dask.array.Array":
    """Predict the probability of each class; parameters and errors are those of `predict`."""
    return apply_by_chunk(estimator, "predict_proba", X)


def predict_log_proba(estimator: Any, X: Any) -> "dask.array.Array":
    """Predict the logarithm of the probability of each class; parameters and errors are those of `predict`."""
    return apply_by_chunk(estimator, "predict_log_proba", X)


def decision_function(estimator: Any, X: Any) -> "dask.array.Array":
    """Compute the confidence in each class; parameters and errors are those of `predict`."""
    return apply_by_chunk(estimator, "decision_function", X)


def class_sums(estimator: Any, X: Any) -> "dask.array.Array":
    """Compute the sum of votes for each class; parameters and errors are those of `predict`."""
    return apply_by_chunk(estimator, "class_sums", X)


def transform(booleanizer: Any, X: Any) -> "dask.array.Array":
    """Turn columns into true/false features with a fitted :class:`wtm.Booleanizer`.

    Parameters and errors are those of `predict`. The features are a dense array, or with ``sparse_output=True`` one of
    CSR matrices.
    """
    return apply_by_chunk(booleanizer, "transform", X)
