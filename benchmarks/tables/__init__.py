"""Compare the classifiers with boosting, additive, linear and rule models on ordinary tables."""
