"""The words of docs/choosing.md around its tables."""

__all__ = ["ADVICE", "INTRODUCTION", "SPACES"]

INTRODUCTION = """\
# How to choose T, s, γ and the number of clauses

Written by `python -m benchmarks.choose report`; do not edit. `benchmarks/results/choosing.jsonl` keeps what was
measured, with versions and machine. Settings are compared by cross-validation on training parts alone; test parts are
used once, for the first table below."""

ADVICE = """\
## In short

1. Start with the defaults. They are the setting that does well on all nine data sets at once: the curves below are flat
   around it.
2. `s` matters most. With a few thousand rows 2 to 4 is within about two points of the best on every data set, and from
   20 upward accuracy falls steeply on most: rules get so long that each fits a few rows only. With many rows and
   hundreds or thousands of clauses a larger `s` may pay, as on Connect-4 in the first table below; the paper's large
   machines have 10 to 150.
3. `T` and `gamma` go together. `T` is what the votes of a class are trained toward. Without weights (`gamma=0`) that
   takes as many clauses that agree: a large `T` is never reached by few clauses, every example changes half of them
   for ever, and little is learnt. With weights a few heavy clauses reach it, and `T` matters less. Increase `T` with
   the number of clauses, slower than in proportion.
4. `gamma` between 0.001 and 0.03 does well. 0, the classic machine, needs more clauses and epochs for the same
   accuracy; 0.1 and more makes weights jump.
5. More clauses rarely hurt accuracy, and cost time and memory in proportion; where labels are noise to a large part
   (Noisy XOR), fewer learn less of it. `n_clauses=500` or 1,000 is the first thing to try once the rest is settled.
6. More epochs help slowly. `early_stopping=True` finds how many, on rows that it holds out.
7. A warning that T is out of proportion, or that many clauses are empty, says what to change.

Then search, see the end of this page."""

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
