"""Search spaces for the parameters that matter, for scikit-learn's searches and for Optuna.

    RandomizedSearchCV(WTMClassifier(), search_space(), n_iter=40, random_state=0).fit(X, y)

    study.optimize(lambda trial: cross_val_score(WTMClassifier(**suggest(trial)), X, y).mean(), n_trials=40)

The ranges hold the best settings of nine data sets; ``docs/choosing.md`` has the measurements.
"""

from typing import Any

__all__ = ["search_space", "suggest"]

N_CLAUSES = (100, 200, 500, 1_000, 2_000)
T = (5.0, 200.0)
S = (1.5, 40.0)
GAMMA = (0.001, 0.3)


def search_space(prefix: str = "") -> dict[str, Any]:
    """Distributions for scikit-learn's RandomizedSearchCV and HalvingRandomSearchCV.

    Parameters
    ----------
    prefix : str, default=""
        Put before each name, for a classifier inside a pipeline: ``"wtmclassifier__"``.

    Returns
    -------
    dict
        A list of numbers of clauses, and log-uniform distributions of `T`, `s` and `gamma`.
    """
    from scipy.stats import loguniform

    return {
        f"{prefix}n_clauses": list(N_CLAUSES),
        f"{prefix}T": loguniform(*T),
        f"{prefix}s": loguniform(*S),
        f"{prefix}gamma": loguniform(*GAMMA),
    }


def suggest(trial: Any, prefix: str = "") -> dict[str, Any]:
    """Parameters for one trial of an Optuna study.

    Parameters
    ----------
    trial : optuna.Trial
    prefix : str, default=""
        As in :func:`search_space`; Optuna's own names have it too.

    Returns
    -------
    dict
        For ``WTMClassifier(**...)``, or with a prefix for ``set_params`` of what the classifier is in.
    """
    return {
        f"{prefix}n_clauses": trial.suggest_categorical(f"{prefix}n_clauses", N_CLAUSES),
        f"{prefix}T": trial.suggest_float(f"{prefix}T", *T, log=True),
        f"{prefix}s": trial.suggest_float(f"{prefix}s", *S, log=True),
        f"{prefix}gamma": trial.suggest_float(f"{prefix}gamma", *GAMMA, log=True),
    }
