"""Search spaces for the most important parameters, for scikit-learn and Optuna.

    RandomizedSearchCV(WTMClassifier(), search_space(), n_iter=40, random_state=0).fit(X, y)

    study.optimize(lambda trial: cross_val_score(WTMClassifier(**suggest(trial)), X, y).mean(), n_trials=40)

The ranges contain the best settings found on nine data sets, except for ``gamma=0`` (``docs/choosing.md`` has the
measurements), and leave out those that `fit` warns of.
"""

from typing import Any

from scipy.stats import loguniform

from wtm.utils.printable import short_repr

__all__ = ["search_space", "suggest"]

N_CLAUSES = (100, 200, 500, 1_000, 2_000)
T = (5.0, 100.0)  # class sums might never reach a T above the smallest n_clauses
S = (1.5, 40.0)
GAMMA = (0.001, 0.1)  # with a larger one and a small s, weights change too fast to learn noisy data


def search_space(prefix: str = "") -> dict[str, Any]:
    """Return distributions for scikit-learn's RandomizedSearchCV and HalvingRandomSearchCV.

    Parameters
    ----------
    prefix : str, default=""
        Prefix of each name, for a classifier in a pipeline: ``"wtmclassifier__"``.

    Returns
    -------
    dict
        A list for `n_clauses`, and log-uniform distributions for `T`, `s` and `gamma`.
    """
    return {
        f"{prefix}n_clauses": list(N_CLAUSES),
        f"{prefix}T": loguniform(*T),
        f"{prefix}s": loguniform(*S),
        f"{prefix}gamma": loguniform(*GAMMA),
    }


def suggest(trial: Any, prefix: str = "") -> dict[str, Any]:
    """Return parameters for one trial of an Optuna study.

    Parameters
    ----------
    trial : optuna.Trial
    prefix : str, default=""
        As in :func:`search_space`. The names in the Optuna study have it too.

    Returns
    -------
    dict
        Parameters for ``WTMClassifier(**...)`` or, with a prefix, for ``set_params`` of the pipeline.

    Raises
    ------
    TypeError
        `trial` is not a trial, or `prefix` not a string.
    """
    if not hasattr(trial, "suggest_categorical"):
        raise TypeError(
            f"trial must be an Optuna trial, got an object of type {type(trial).__name__}. Call "
            "suggest(trial) in the function that study.optimize calls; for scikit-learn's searches, use search_space()."
        )
    if not isinstance(prefix, str):
        raise TypeError(f"prefix must be a string, such as 'wtmclassifier__', got {short_repr(prefix)}.")
    return {
        f"{prefix}n_clauses": trial.suggest_categorical(f"{prefix}n_clauses", N_CLAUSES),
        f"{prefix}T": trial.suggest_float(f"{prefix}T", *T, log=True),
        f"{prefix}s": trial.suggest_float(f"{prefix}s", *S, log=True),
        f"{prefix}gamma": trial.suggest_float(f"{prefix}gamma", *GAMMA, log=True),
    }
