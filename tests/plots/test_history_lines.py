import numpy as np
import pytest

from tests.helpers.problems import small, three_classes
from wtm.export import from_json, to_json
from wtm.plots import HistoryDisplay


@pytest.fixture(scope="module")
def clf():
    X, y = three_classes()
    return small(n_epochs=6, early_stopping=True, n_iter_no_change=6).fit(X, y)


def test_lines_are_the_history(clf):
    display = HistoryDisplay.from_estimator(clf)
    for line, name in zip(display.lines_, ("train_accuracy", "valid_accuracy"), strict=True):
        assert line.get_xdata().tolist() == [entry["epoch"] for entry in clf.history_]
        assert line.get_ydata().tolist() == [entry[name] for entry in clf.history_]
    labels = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert labels == ["training rows", "validation rows", f"kept: epoch {clf.best_epoch_}"]
    styles = [(line.get_linestyle(), line.get_marker()) for line in display.lines_]
    assert len(set(styles)) == 2


def test_without_validation_there_is_one_line():
    X, y = three_classes()
    display = HistoryDisplay.from_estimator(small(n_epochs=2).fit(X, y))
    assert list(display.metrics) == ["train_accuracy"]
    assert len(display.ax_.lines) == 1


def test_other_metrics_are_drawn(clf):
    display = HistoryDisplay.from_estimator(clf, metrics=["literals_per_clause"])
    assert np.array_equal(display.lines_[0].get_ydata(), [entry["literals_per_clause"] for entry in clf.history_])
    assert display.ax_.get_ylabel() == ""
    with pytest.raises(ValueError, match=r"metrics must be keys of history_ such as epoch, .*; got 'loss'"):
        HistoryDisplay.from_estimator(clf, metrics=["loss"])


def test_without_a_history_the_error_says_so(clf):
    for model in (from_json(to_json(clf)), small()):
        with pytest.raises(ValueError, match="clf has no history_: pass a WTMClassifier after fit"):
            HistoryDisplay.from_estimator(model)


def test_a_metric_that_is_no_number_is_refused():
    X, y = three_classes()

    def add_note(epoch):
        epoch.entry["note"] = "good"

    clf = small(n_epochs=1, callbacks=add_note).fit(X, y)
    with pytest.raises(ValueError, match="metrics names 'note', which is not a number: 'good'"):
        HistoryDisplay.from_estimator(clf, metrics=["note"])
