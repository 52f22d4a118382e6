"""
Patterns in images
==================

A rule for images looks for a pattern of pixels in the patches of an image. An explanation shows where each rule found
its pattern.
"""

# %%
# From an array to a drawn explanation
# ------------------------------------
#
# The images have 8 by 8 pixels from 0 to 16, and patches 5 by 5. Blue pixels had to be on, orange ones with a cross
# off. Boxes are the patches of the three rules with the most votes, which are the numbers.
from sklearn.datasets import load_digits

from wtm import ConvolutionalWTMClassifier
from wtm.plots import ImageExplanationDisplay

grey, digits = load_digits().images, load_digits().target
images = grey > 7
clf = ConvolutionalWTMClassifier(n_clauses=100, T=20, n_epochs=15, patch_shape=(5, 5), random_state=0)
clf.fit(images[:1200], digits[:1200])
print(f"accuracy on the other images: {clf.score(images[1200:], digits[1200:]):.3f}")
ImageExplanationDisplay.from_estimator(clf, images[1203:1204], image=grey[1203])

# %%
# The votes in words
# ------------------
(explanation,) = clf.explain(images[1203:1204])
print(explanation)

# %%
# The heaviest patterns
# ---------------------
#
# A patch can lie anywhere within the dashed box. The numbers are the rows and columns of its top left corner.
from wtm.plots import PatternsDisplay

PatternsDisplay.from_estimator(clf)

# %%
# A mistake
# ---------
#
# Why the wrong class, and what there was of the right one:
from matplotlib import pyplot as plt

predicted = clf.predict(images[1200:])
wrong = 1200 + (predicted != digits[1200:]).argmax()
figure, axes = plt.subplots(1, 2, figsize=(7, 4), layout="constrained")
for ax, label in zip(axes, (predicted[wrong - 1200], digits[wrong]), strict=True):
    ImageExplanationDisplay.from_estimator(clf, images[[wrong]], image=grey[wrong], label=label, ax=ax)

# %%
# Patterns that need not fit in full
# ----------------------------------
#
# A few fuzzy rules do what many strict ones do. Their patches are those that fit best.
from wtm import FuzzyConvolutionalWTMClassifier

fuzzy = FuzzyConvolutionalWTMClassifier(n_clauses=20, T=2, n_epochs=15, patch_shape=(5, 5), random_state=0)
fuzzy.fit(images[:1200], digits[:1200])
print(f"accuracy on the other images: {fuzzy.score(images[1200:], digits[1200:]):.3f}")
ImageExplanationDisplay.from_estimator(fuzzy, images[1203:1204], image=grey[1203])
