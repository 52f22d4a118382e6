"""Choose the defaults of `wtm.FuzzyWTMClassifier` by cross-validation, and compare it with `wtm.WTMClassifier`."""
