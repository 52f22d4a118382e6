"""Search spaces for the most important parameters, for scikit-learn and Optuna.

    RandomizedSearchCV(WTMClassifier(), search_space(), n_iter=40, random_state=0).fit(X, y)

    study.optimize(lambda trial: cross_val_score(WTMClassifier(**suggest(trial)), X, y).mean(), n_trials=40)

The ranges contain settings that do well on nine data sets (``docs/choosing.md`` has the measurements) and leave out
those that `fit` warns of.
"""

from typing import Any

from scipy.stats import loguniform

__all__ = ["search_space", "suggest"]

N_CLAUSES = (100, 200, 500, 1_000, 2_000)
T = (20.0, 100.0)
S = (3.0, 30.0)
GAMMA = (0.001, 0.01)
# A rule that is true for more wrong rows than right ones loses weight at each of them, by a factor of 1 + gamma. With a
# large gamma it reaches the end of the range of weights, 2**-16, within a few epochs. A small s makes such general
# rules; with a small T, feedback comes mostly from wrong rows. With a T above the smallest n_clauses, class sums might
# never reach T.


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
    """
    return {
        f"{prefix}n_clauses": trial.suggest_categorical(f"{prefix}n_clauses", N_CLAUSES),
        f"{prefix}T": trial.suggest_float(f"{prefix}T", *T, log=True),
        f"{prefix}s": trial.suggest_float(f"{prefix}s", *S, log=True),
        f"{prefix}gamma": trial.suggest_float(f"{prefix}gamma", *GAMMA, log=True),
    }
