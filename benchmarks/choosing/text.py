"""The words of docs/choosing.md around its tables."""

__all__ = ["ADVICE", "INTRODUCTION", "SPACES"]

INTRODUCTION = """\
# How to choose T, s, γ and the number of clauses

Written by `python benchmarks/choose.py report`; do not edit. `benchmarks/results/choosing.jsonl` keeps what was
measured, with versions and machine. Settings are compared by cross-validation on training parts alone; test parts are
used once, for the first table below."""

ADVICE = """\
## In short

TODO"""

SPACES = """\
## Searching

`wtm.search` has a search space for scikit-learn's searches and for Optuna:

```python
from sklearn.datasets import load_digits
from sklearn.model_selection import RandomizedSearchCV
from wtm import WTMClassifier
from wtm.search import search_space

X, y = load_digits(return_X_y=True)
search = RandomizedSearchCV(WTMClassifier(n_epochs=5, random_state=0), search_space(), n_iter=3, cv=3, random_state=0)
search.fit(X, y)
print(search.best_params_, search.best_score_)
```

```python
import optuna
from sklearn.model_selection import cross_val_score
from wtm.search import suggest


def objective(trial):
    return cross_val_score(WTMClassifier(n_epochs=5, random_state=0).set_params(**suggest(trial)), X, y, cv=3).mean()


study = optuna.create_study(direction="maximize")
study.optimize(objective, n_trials=3)
print(study.best_params)
```

More trials and epochs are wanted in earnest: these are few so that the example ends soon."""
