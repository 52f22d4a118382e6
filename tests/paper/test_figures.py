import os
import sys
import xml.etree.ElementTree as ElementTree

import pytest

from tests.helpers.made_up_results import SMALL, made_up_record
from wtm.paper.figures import draw_learning_curves, draw_sweep, draw_weights
from wtm.paper.settings import SWEEPS, Swept

pytest.importorskip("matplotlib")


def learning_curves(path, n_epochs=40):
    group = [made_up_record(SMALL, [70 + i / 10 + seed for i in range(n_epochs)], seed=seed) for seed in range(2)]
    return draw_learning_curves(path, "Tea", [group, group[:1]])


def sweep(swept):
    def draw(path):
        groups = [[made_up_record(plan.setting, [70, 71 + i])] for i, plan in enumerate(SWEEPS["connect-4"][swept])]
        return draw_sweep(path, "Tea", swept, groups)

    return draw


@pytest.fixture
def drawn(monkeypatch):
    """The figures that are drawn, instead of their files."""
    figures = []
    monkeypatch.setattr("matplotlib.figure.Figure.savefig", lambda figure, file, **options: figures.append(figure))
    return figures


@pytest.mark.parametrize("accuracy", [20, 49, 50.5, 60, 80])
def test_the_axis_includes_the_most_frequent_class_if_it_is_drawn(accuracy, tmp_path, drawn):
    records = [made_up_record(SMALL, [accuracy + i for i in range(10)])]  # the most frequent class has 50 %
    draw_learning_curves(tmp_path / "a.svg", "Tea", [records])
    (axes,) = drawn[0].axes
    low, high = axes.get_ylim()
    named = any("always" in text.get_text() for text in drawn[0].legends[0].get_texts())
    assert named == (low < 50 < high)
    assert named == (accuracy < 80)


@pytest.mark.parametrize("n_epochs", [10, 100])
def test_all_curves_of_a_figure_have_dots_or_none(n_epochs, tmp_path, drawn):
    groups = [[made_up_record(SMALL, [70] * n)] for n in (5, n_epochs)]
    draw_learning_curves(tmp_path / "a.svg", "Tea", groups)
    curves = [line for line in drawn[0].axes[0].lines if len(line.get_xdata()) > 2]
    assert {line.get_marker() for line in curves} == ({"o", "^"} if n_epochs == 10 else {"None"})
    assert len(curves) == 4


@pytest.mark.parametrize("figure_name", ["curves", "gamma", "clauses", "T"])
def test_the_legend_stands_below_the_axes_and_inside_the_figure(figure_name, tmp_path, drawn):
    FIGURES[figure_name](tmp_path / "a.svg")
    (figure,) = drawn
    figure.draw_without_rendering()
    legend = figure.legends[0].get_window_extent()
    assert legend.y1 <= figure.axes[0].get_tightbbox().y0
    assert figure.bbox.x0 <= legend.x0 < legend.x1 <= figure.bbox.x1
    assert legend.y0 >= figure.bbox.y0


def test_points_of_one_seed_are_hollow_and_those_of_several_have_a_bar(tmp_path, drawn):
    classic, *weighted = (plan.setting for plan in SWEEPS["connect-4"][Swept.GAMMA])
    assert not classic.gamma
    groups = [
        [made_up_record(setting, [70 + seed], seed=seed) for seed in (0, 2)] for setting in (classic, weighted[0])
    ]
    groups += [[made_up_record(setting, [75])] for setting in weighted[1:]]
    draw_sweep(tmp_path / "a.svg", "Tea", Swept.GAMMA, groups)
    axes = drawn[0].axes[0]
    hollow = {
        line.get_xdata()[0] for line in axes.lines if line.get_markerfacecolor() == "white" and len(line.get_xdata())
    }
    assert hollow == {setting.gamma for setting in weighted[1:]}
    bars = [bar for container in axes.containers for bar in container[2][0].get_segments()]
    assert sorted(bar[0][0] for bar in bars) == pytest.approx([weighted[0].gamma / 3, weighted[0].gamma])
    assert all(bar[:, 1] == pytest.approx([70, 72]) for bar in bars)
    assert axes.get_xticklabels()[0].get_text() == "0 (TM)"


FIGURES = {
    "curves": learning_curves,
    "one epoch": lambda path: learning_curves(path, 1),
    "gamma": sweep(Swept.GAMMA),
    "clauses": sweep(Swept.CLAUSES),
    "T": sweep(Swept.T),
    "weights": lambda path: draw_weights(path, "Tea", {-20: 3, 0: 10, 40: 1}),
    "one weight": lambda path: draw_weights(path, "Tea", {0: 10}),
}


@pytest.mark.parametrize("figure", FIGURES)
def test_a_figure_depends_on_the_results_alone(figure, tmp_path):
    for name in ("a.svg", "b.svg"):
        assert FIGURES[figure](tmp_path / name)
    assert ElementTree.parse(tmp_path / "a.svg").getroot().tag.endswith("svg")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_a_figure_that_can_not_be_written_leaves_the_old_one(tmp_path, monkeypatch):
    path = tmp_path / "a.svg"
    learning_curves(path)
    before = path.read_bytes()

    def full(descriptor):
        raise OSError("full")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="full"):
        learning_curves(path, 20)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_the_suffix_names_the_format(tmp_path):
    assert FIGURES["weights"](tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


def test_without_matplotlib_one_line_says_so(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert not learning_curves(tmp_path / "curve.svg")
    assert list(tmp_path.iterdir()) == []
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "No curve.svg: matplotlib is not installed" in error
    assert "weighted-tsetlin-machine[plots]" in error
