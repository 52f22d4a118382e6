"""
Digits, with the rules drawn
============================

Where the columns are the pixels of images, rules can be drawn: which pixels must be on, and which off.
"""

# %%
# Train on black and white
# ------------------------
#
# The images have 8 by 8 pixels from 0 to 16. One threshold makes each pixel true or false.
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from wtm import Booleanizer, WTMClassifier

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)
clf = WTMClassifier(n_clauses=100, booleanizer=Booleanizer(thresholds=[7]), random_state=0)
clf.fit(X_train, y_train, X_val=X_test, y_val=y_test)
print(f"accuracy on {len(X_test)} other images: {clf.score(X_test, y_test):.3f}")

# %%
# How training went
# -----------------
from wtm.plots import HistoryDisplay

HistoryDisplay.from_estimator(clf)

# %%
# Each class as a picture
# -----------------------
#
# The rules of a class, added up: blue pixels must be on, orange ones off.
from wtm.plots import ImagesDisplay

ImagesDisplay.from_estimator(clf, (8, 8))

# %%
# The heaviest rules
# ------------------
ImagesDisplay.from_estimator(clf, (8, 8), kind="rules")

# %%
# Where it is unsure
# ------------------
#
# Class sums that lie close together mark images that a person should look at.
import numpy as np
from matplotlib import pyplot as plt

sums = np.sort(clf.class_sums(X_test), axis=1)
unsure = np.argsort(sums[:, -1] - sums[:, -2])[:6]
figure, axes = plt.subplots(1, 6, figsize=(8, 1.8))
for ax, row in zip(axes, unsure, strict=True):
    ax.imshow(X_test[row].reshape(8, 8), cmap="gray_r")
    ax.set_title(f"{clf.predict(X_test[[row]])[0]}, is {y_test[row]}")
    ax.set_axis_off()
