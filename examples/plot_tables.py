"""
Rules of a table, and one decision explained
============================================

A model of breast tumours: train it on a table of measurements, read its rules, and see why it calls one tumour
malignant.
"""

# %%
# The data
# --------
#
# Each row of the Wisconsin data is a tumour with 30 measurements of its cell nuclei. A column keeps its name, so that
# rules can be read.
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

X, diagnosis = load_breast_cancer(return_X_y=True, as_frame=True)
y = diagnosis.map({0: "malignant", 1: "benign"})
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)
X_train.iloc[:3, :4]

# %%
# Train
# -----
#
# ``WTMClassifier.readable()`` has parameters for short rules. Numbers become conditions such as ``mean area > 696``,
# and missing values and text columns would need no preparation either.
from wtm import WTMClassifier

clf = WTMClassifier.readable(random_state=0).fit(X_train, y_train)
print(f"accuracy on {len(X_test)} other tumours: {clf.score(X_test, y_test):.3f}")

# %%
# Read the rules
# --------------
#
# With rows to count on, the table of rules says for how many of them each rule holds (support), and how often it is
# right (precision). Rules that separate the two classes best come first.
rules = clf.rules(X_test, y_test)
print(len(rules), "rules")
rules[:5]

# %%
# Fewer rules
# -----------
#
# Nobody defends a hundred rules in a meeting. ``refit`` gives them new weights, ``prune`` removes those that matter
# least while the accuracy lasts, ``simplify`` removes conditions that are not needed.
few = clf.refit(X_train, y_train).prune(X_train, y_train, max_accuracy_loss=0.01).simplify(X_train)
print(f"{len(few.rules())} rules, accuracy on the other tumours: {few.score(X_test, y_test):.3f}")
few.rules(X_test, y_test)

# %%
# Explain a decision
# ------------------
#
# The rules that hold for a row vote, and the votes add up to the decision.
row = X_test[few.predict(X_test) == "malignant"].iloc[[0]]
explanation = few.explain(row)[0]
print(explanation)

# %%
# ``nearest_change`` searches for the fewest measurements that would have to be different for the other answer.
print(explanation.nearest_change())

# %%
from wtm.plots import ExplanationDisplay

ExplanationDisplay.from_estimator(few, row)
