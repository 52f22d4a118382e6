"""The text of docs/choosing.md around its tables."""

__all__ = ["ADVICE", "INTRODUCTION", "SPACES"]

INTRODUCTION = """\
# How to choose T, s, γ and the number of clauses

Written by `python -m benchmarks.choose report`; do not edit. `benchmarks/results/choosing.jsonl` keeps the measurements
with versions and machine. Settings are compared by cross-validation on the training parts only. The test parts are used
once, for the first table below."""

ADVICE = """\
## In short

1. Start with the defaults. They are the setting that does well on all nine data sets at once; the curves below are flat
   around it. [tables.md](tables.md) compares them with other methods on ordinary tables, and has the settings that a
   search chose there.
2. `s` matters most. With a few thousand rows, 2 to 4 is within about two points of the best on every data set. From 20
   upward, accuracy falls steeply on most: each rule is true for only about 1 in s + 1 of the rows that it is to match
   ([rule-length.md](rule-length.md)). With more rows a larger `s` pays, as on Connect-4 in the first table below; the
   paper's large machines use 10 to 150. `s="auto"` grows with the number of rows per class
   ([see below](#at-several-numbers-of-rows)). From 4,000 rows on, it is better than the default on most tables, images
   and boards. With thousands of features, as in texts, a small `s` has more accuracy and a larger one less log-loss.
3. Choose `T` and `gamma` together. Training pushes the votes of a class toward `T`. Without weights (`gamma=0`), that
   many clauses must agree: few clauses never reach a large `T`, each example keeps changing half of them, and little is
   learnt. With weights, a few heavy clauses reach it, and `T` matters less. Increase `T` with the number of clauses,
   but less than in proportion.
4. `gamma` between 0.001 and 0.03 works well. 0, the classic machine, needs more clauses and epochs for the same
   accuracy. With 0.1 and more, weights change abruptly.
5. More clauses rarely reduce accuracy; time and memory grow in proportion. With very noisy labels (Noisy XOR), fewer
   clauses learn less of the noise. Once the rest is settled, try `n_clauses=500` or 1,000 first.
6. More epochs help slowly. `early_stopping=True` finds their number on held-out rows.
7. For short rules, start with `WTMClassifier.readable()`; [few-rules.md](few-rules.md) says what it changes, and how
   `refit` and `prune` leave fewer rules.
8. If a warning says that T is too large or that many clauses are empty, follow its advice.

Then search; see the end of this page."""

SPACES = """\
## Searching

`wtm.search` has search spaces for scikit-learn's searches and for Optuna:

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

Use more trials and epochs for real data; these are few so that the example ends soon."""
