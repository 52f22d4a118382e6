"""Pictures of models and explanations with matplotlib, as scikit-learn's Display classes make them.

``from_estimator`` computes what is drawn and draws it; ``plot`` draws it again, on other axes. Nothing is told apart by
colour alone.
"""

from wtm.plots.explanation_bars import ExplanationDisplay
from wtm.plots.history_lines import HistoryDisplay
from wtm.plots.image_explanations import ImageExplanationDisplay
from wtm.plots.importance_bars import ImportanceDisplay
from wtm.plots.pattern_images import PatternsDisplay
from wtm.plots.pixel_images import ImagesDisplay
from wtm.plots.rule_count_line import RuleCountDisplay
from wtm.plots.rule_histogram import RuleHistogramDisplay

__all__ = [
    "ExplanationDisplay",
    "HistoryDisplay",
    "ImageExplanationDisplay",
    "ImagesDisplay",
    "ImportanceDisplay",
    "PatternsDisplay",
    "RuleCountDisplay",
    "RuleHistogramDisplay",
]
