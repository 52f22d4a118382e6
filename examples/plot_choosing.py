"""
Choose parameters
=================

Start with the defaults, look at one curve, then search. Cross-validation on the training rows decides; the test rows
are used once, at the end.
"""

# %%
# The defaults
# ------------
from sklearn.datasets import load_digits
from sklearn.model_selection import cross_val_score, train_test_split

from wtm import WTMClassifier

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X > 7, y, stratify=y, random_state=0)
defaults = WTMClassifier(n_epochs=10, random_state=0)
print(f"{cross_val_score(defaults, X_train, y_train, cv=3).mean():.3f}")

# %%
# One parameter at a time
# -----------------------
#
# ``s`` matters most: the larger it is, the fewer rows each rule holds for.
from matplotlib import pyplot as plt
from sklearn.model_selection import ValidationCurveDisplay

ValidationCurveDisplay.from_estimator(
    defaults, X_train, y_train, param_name="s", param_range=[1.5, 3, 6, 12, 24], cv=3, score_name="accuracy"
)
plt.xscale("log")

# %%
# A search
# --------
#
# ``wtm.search`` has ranges that contain the best settings of nine data sets. Each candidate is trained on few rows
# first, and only the better half goes on.
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.model_selection import HalvingRandomSearchCV

from wtm.search import search_space

search = HalvingRandomSearchCV(defaults, search_space(), n_candidates=12, factor=3, cv=3, random_state=0)
search.fit(X_train, y_train)
print({name: round(float(value), 4) for name, value in search.best_params_.items()})

# %%
# The test rows, once
# -------------------
print(f"defaults {defaults.fit(X_train, y_train).score(X_test, y_test):.3f}")
print(f"search   {search.score(X_test, y_test):.3f}")
