"""Measurements behind the defaults of WTMClassifier and the page on choosing its parameters."""
