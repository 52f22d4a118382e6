import sys
import xml.etree.ElementTree as ElementTree

import pytest
from wtm.paper.curve import draw_learning_curve

pytest.importorskip("matplotlib")

MAJORITY = {"label": "win", "test_share": 0.65}


def history(n_epochs):
    return [
        {"epoch": i, "train_accuracy": 0.7 + i / 1000, "valid_accuracy": 0.69 + i / 1000}
        for i in range(1, n_epochs + 1)
    ]


@pytest.mark.parametrize("n_epochs", [1, 2, 100])
def test_the_curve_is_a_picture_that_depends_on_the_results_alone(n_epochs, tmp_path):
    curves = [("WTM", history(n_epochs)), ("TM", history(n_epochs))]
    for name in ("a.svg", "b.svg", "a.png"):
        assert draw_learning_curve(tmp_path / name, "Tea", curves, MAJORITY)
    assert ElementTree.parse(tmp_path / "a.svg").getroot().tag.endswith("svg")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


def test_without_matplotlib_one_line_says_so(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert not draw_learning_curve(tmp_path / "curve.svg", "Tea", [("WTM", history(2))], MAJORITY)
    assert list(tmp_path.iterdir()) == []
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "No curve.svg: matplotlib is not installed" in error
    assert "weighted-tsetlin-machine[plots]" in error
