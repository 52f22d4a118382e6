import pytest

from wtm import WTMClassifier
from wtm.paper.settings import PRESETS, Preset, machines_of
from wtm.parameters import check_parameters

EVERY = [(dataset, preset) for dataset in PRESETS for preset in Preset]


def test_every_data_set_has_every_preset():
    assert set(PRESETS) == {"connect-4", "mnist", "imdb"}
    assert all(set(presets) == set(Preset) for presets in PRESETS.values())


@pytest.mark.parametrize(("dataset", "preset"), EVERY)
def test_settings_are_valid_parameters(dataset, preset):
    for setting in machines_of(dataset, preset):
        clf = WTMClassifier(
            n_clauses=setting.n_clauses,
            T=setting.T,
            s=1 / setting.p_s,
            gamma=setting.gamma,
            n_epochs=setting.default_epochs,
        )
        check_parameters(clf.get_params())
        assert 0 < setting.p_s < 0.5
        assert (setting.gamma == 0) == (setting.machine == "TM")


@pytest.mark.parametrize(("dataset", "preset"), EVERY)
def test_figures_are_told_once_and_fit_together(dataset, preset):
    figures = {figure.measure: figure.accuracy for figure in PRESETS[dataset][preset].paper}
    assert len(figures) == len(PRESETS[dataset][preset].paper) > 0
    assert all(0.8 < accuracy < 1 for accuracy in figures.values())
    assert all(accuracy <= figures.get("peak", 1) for accuracy in figures.values())


@pytest.mark.parametrize("dataset", PRESETS)
def test_weights_and_more_clauses_are_better_in_the_paper(dataset):
    best, classic, light = (
        max(figure.accuracy for figure in PRESETS[dataset][preset].paper)
        for preset in (Preset.BEST, Preset.CLASSIC, Preset.LIGHT)
    )
    assert best > classic
    assert best > light


def test_light_sets_a_classic_machine_of_the_same_size_beside_the_weighted_one():
    weighted, classic = machines_of("connect-4", Preset.LIGHT)
    assert (weighted.n_clauses, weighted.p_s, weighted.gamma, weighted.T) == (200, 0.037, 0.0001, 12)
    assert (classic.n_clauses, classic.p_s, classic.gamma, classic.T) == (200, 0.033, 0, 12)
    assert classic.default_epochs == weighted.default_epochs
    assert classic.paper == ()
    assert classic.paper_seconds is None


@pytest.mark.parametrize("preset", [Preset.CLASSIC, Preset.BEST])
def test_large_presets_have_one_machine(preset):
    assert machines_of("mnist", preset) == (PRESETS["mnist"][preset],)
