"""The Weighted Tsetlin Machine: a classifier that learns weighted AND-rules over true/false features."""

from wtm.classifier import WTMClassifier

__all__ = ["WTMClassifier", "__version__"]

__version__ = "0.1.0.dev0"
