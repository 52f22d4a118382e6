"""
Score cards: rules that need not hold in full
=============================================

A fuzzy rule votes where most of its conditions hold, "at least 8 of 11". Two or four of them may do what many strict
rules do.
"""

# %%
# Few rules, strict and fuzzy
# ---------------------------
import pandas as pd
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import cross_val_score

from wtm import FuzzyWTMClassifier, WTMClassifier

X, diagnosis = load_breast_cancer(return_X_y=True, as_frame=True)
y = diagnosis.map({0: "malignant", 1: "benign"})
rows = []
for n_clauses in (2, 4, 10):
    strict = WTMClassifier(n_clauses=n_clauses, T=n_clauses / 2, random_state=0)
    fuzzy = FuzzyWTMClassifier(n_clauses=n_clauses, T=n_clauses / 2, random_state=0)
    rows.append([n_clauses, *(cross_val_score(clf, X, y, cv=5).mean().round(3) for clf in (strict, fuzzy))])
pd.DataFrame(rows, columns=["clauses per class", "strict", "fuzzy"])

# %%
# A score card
# ------------
#
# The card says how many of its conditions must hold, and what each further one adds.
cards = FuzzyWTMClassifier(n_clauses=2, T=1, literal_failures=4, max_literals=8, random_state=0).fit(X, y)
print(cards.rules()[0])

# %%
# How far the cards of one tumour are filled
# ------------------------------------------
print(cards.explain(X[:1])[0])
