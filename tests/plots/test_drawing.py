"""What all displays have in common."""

import re
import sys
from pathlib import Path

import pytest
from matplotlib import pyplot as plt
from sklearn.exceptions import NotFittedError

import wtm.plots
from wtm import WTMClassifier
from wtm.plots import (
    ExplanationDisplay,
    ImagesDisplay,
    ImportanceDisplay,
    RuleHistogramDisplay,
)

DISPLAYS = {
    "explanation": lambda clf, X, **options: ExplanationDisplay.from_estimator(clf, X[:1], **options),
    "importance": lambda clf, X, **options: ImportanceDisplay.from_estimator(clf, **options),
    "histogram": lambda clf, X, **options: RuleHistogramDisplay.from_estimator(clf, **options),
    "images": lambda clf, X, **options: ImagesDisplay.from_estimator(clf, (2, 2), **options),
}


@pytest.mark.parametrize("name", [name for name in DISPLAYS if name != "images"])
def test_axes_of_the_caller_are_used(name, mixed):
    figure, (first, second) = plt.subplots(1, 2)
    display = DISPLAYS[name](*mixed[:2], ax=first)
    assert display.ax_ is first
    assert display.figure_ is figure
    assert display.plot(second) is display
    assert display.ax_ is second
    assert [len(axes.patches) for axes in (first, second)] == [len(second.patches)] * 2
    assert first.get_xlabel() == second.get_xlabel() != ""
    assert display.plot().figure_ is not figure


@pytest.mark.parametrize("name", DISPLAYS)
def test_only_fitted_classifiers_are_drawn(name, mixed):
    with pytest.raises(TypeError, match="clf must be a WTMClassifier, got a str"):
        DISPLAYS[name]("model", mixed[1])
    with pytest.raises(NotFittedError):
        DISPLAYS[name](WTMClassifier(), mixed[1])


def test_without_matplotlib_the_error_names_the_extra(mixed, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    for draw in DISPLAYS.values():
        with pytest.raises(ImportError, match=r"pip install 'weighted-tsetlin-machine\[plots\]'"):
            draw(mixed[0], mixed[1])


def test_matplotlib_is_imported_only_to_draw():
    sources = [path.read_text("utf-8") for path in Path(wtm.plots.__file__).parent.glob("*.py")]
    assert len(sources) > 5
    assert not any(re.search("^(import|from) matplotlib", source, re.MULTILINE) for source in sources)
