"""
Words of film reviews
=====================

50,000 reviews of films from IMDb, as words that occur or don't. The data are not in the package, so this page shows
what the program printed when it was last run: ``WTM_DATA=... python examples/reviews.py > examples/reviews.txt``, with
a folder that has the files of the data set.
"""

# %%
# Train
# -----
#
# The features are the words and pairs of words that tell most about the opinion (chi-squared). Texts of your own become
# such features by scikit-learn's ``CountVectorizer``; the matrix stays sparse.
import numpy as np

from wtm import FuzzyWTMClassifier, WTMClassifier
from wtm.datasets import load_imdb

data = load_imdb()
X, X_test = data.X_train, data.X_test
y, y_test = (np.where(labels == 1, "good", "bad") for labels in (data.y_train, data.y_test))
words = [name.removeprefix("has ").strip('"') for name in data.feature_names]
clf = WTMClassifier.readable(n_epochs=10, n_jobs=-1, random_state=0).fit(X, y)
print(f"accuracy on {len(y_test)} other reviews: {clf.score(X_test, y_test):.3f}")

# %%
# Rules of words
# --------------
#
# The heaviest of 60 rules, after new weights by logistic regression.
few = clf.refit(X, y).prune(X, y, n_rules=60)
print(f"\naccuracy of {len(few.rules())} rules: {few.score(X_test, y_test):.3f}")
for rule in few.rules(feature_names=words)[:12]:
    print(rule)

# %%
# Why is this review called bad?
# ------------------------------
row = X_test[few.predict(X_test) == "bad"][:1]
print(f"\n{few.explain(row, feature_names=words)[0]}")

# %%
# Score cards of words
# --------------------
#
# For long texts a fuzzy machine is the better choice: no single word decides, many together do.
fuzzy = FuzzyWTMClassifier(n_clauses=20, n_epochs=15, n_jobs=-1, random_state=0)
fuzzy.fit(X, y)
print(f"\naccuracy of 20 fuzzy clauses per class: {fuzzy.score(X_test, y_test):.3f}")

# %%
# What it printed
# ---------------
#
# .. literalinclude:: ../../examples/reviews.txt
