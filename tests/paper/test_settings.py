import statistics

import pytest

from wtm import WTMClassifier
from wtm.paper.reported import REPORTED, papers_row
from wtm.paper.settings import (
    AVERAGED,
    COMPRESSION,
    PRESETS,
    SWEEPS,
    WEIGHTS,
    Preset,
    Swept,
    averaged_epochs,
    large_machines,
    planned_epochs,
)
from wtm.validation.parameters import check_parameters

DATA = ("connect-4", "mnist", "imdb")
PLANS = [
    *(plan for presets in PRESETS.values() for plans in presets.values() for plan in plans),
    *(plan for compression in COMPRESSION.values() for plan in (compression.weighted, compression.classic)),
    *(plan for sweeps in SWEEPS.values() for plans in sweeps.values() for plan in plans),
    WEIGHTS,
]


def test_every_data_set_has_everything():
    assert set(COMPRESSION) == set(DATA)
    assert set(PRESETS) == set(SWEEPS) == {*DATA, "imdb-authors"}
    assert all(set(presets) == set(Preset) for presets in PRESETS.values())
    assert all(set(sweeps) == set(Swept) for sweeps in SWEEPS.values())


@pytest.mark.parametrize("plan", PLANS, ids=str)
def test_settings_are_valid_parameters(plan):
    s = plan.setting
    clf = WTMClassifier(n_clauses=s.n_clauses, T=s.T, s=1 / s.p_s, gamma=s.gamma, n_epochs=plan.n_epochs)
    check_parameters(clf.get_params())
    assert 0 < s.p_s < 0.5
    assert (s.gamma == 0) == (s.method == "TM")


@pytest.mark.parametrize(("key", "reported"), REPORTED.items(), ids=str)
def test_reported_figures_are_of_machines_that_are_trained_and_fit_together(key, reported):
    data, setting = key
    compression = COMPRESSION[data]
    trained = [plan for plans in PRESETS[data].values() for plan in plans] + [compression.weighted, compression.classic]
    assert setting in [plan.setting for plan in trained]
    for figures in reported:
        assert any((figures.statistics, figures.peak, figures.last))
        if (s := figures.statistics) is not None:
            assert 80 < s.minimum <= s.low <= s.mean <= s.high <= s.maximum < 100
        for accuracy in (figures.peak, figures.last):
            assert accuracy is None or 80 < accuracy < 100


@pytest.mark.parametrize("data", DATA)
def test_weights_are_better_in_the_paper_and_both_large_machines_have_the_same_size(data):
    best, classic = large_machines(data)
    assert best.n_clauses == classic.n_clauses
    means = [REPORTED[data, setting][0].statistics.mean for setting in (best, classic)]
    assert means[0] > means[1]


def test_table_6_is_of_the_last_epochs_in_the_readme():
    last = [89.86, 89.81, 89.77, 89.73, 89.84]  # epochs 21 to 25 of the TM
    assert len(last) == AVERAGED["imdb"]
    _, row = papers_row("imdb", large_machines("imdb")[1])
    found = (max(last), min(last), round(statistics.mean(last), 2), round(statistics.stdev(last), 2))
    assert found == (row.maximum, row.minimum, row.mean, row.deviation)


@pytest.mark.parametrize("data", DATA)
def test_compression_has_the_share_of_clauses_that_the_paper_says(data):
    compression = COMPRESSION[data]
    share = compression.weighted.setting.n_clauses / compression.classic.setting.n_clauses
    assert share == pytest.approx(eval(compression.share), rel=0.05)
    assert compression.weighted.n_epochs == compression.classic.n_epochs


@pytest.mark.parametrize("data", DATA)
def test_sweeps_vary_one_thing(data):
    gammas = [plan.setting for plan in SWEEPS[data][Swept.GAMMA]]
    assert gammas[0].gamma == 0
    assert [s.gamma for s in gammas] == sorted({s.gamma for s in gammas})
    assert len({(s.n_clauses, s.p_s, s.T) for s in gammas}) == 1
    light = PRESETS[data][Preset.LIGHT]
    assert light[0].setting in gammas
    for method in ("WTM", "TM"):
        clauses = [plan.setting for plan in SWEEPS[data][Swept.CLAUSES] if plan.setting.method == method]
        assert [s.n_clauses for s in clauses] == sorted({s.n_clauses for s in clauses})
        assert len({(s.p_s, s.gamma) for s in clauses}) == 1
        assert {plan.setting for plan in light if plan.setting.method == method} <= set(clauses)


def test_light_has_a_classic_machine_of_the_same_size():
    weighted, classic = (plan.setting for plan in PRESETS["connect-4"][Preset.LIGHT])
    assert (weighted.n_clauses, weighted.p_s, weighted.gamma, weighted.T) == (200, 0.037, 0.0001, 12)
    assert (classic.n_clauses, classic.p_s, classic.gamma, classic.T) == (200, 0.033, 0, 12)


@pytest.mark.parametrize(("data", "n_epochs", "averaged"), [
    ("mnist", 300, 50), ("connect-4", 1_000, 200), ("imdb", 25, 5), ("imdb-authors", 100, 5), ("mnist", 1, 1),
    ("mnist", 6, 2),
])  # fmt: skip
def test_statistics_are_over_the_papers_epochs_or_a_fifth(data, n_epochs, averaged):
    assert averaged_epochs(data, n_epochs) == averaged <= AVERAGED[data]


@pytest.mark.parametrize(("setting", "n_epochs"), [
    (PRESETS["mnist"][Preset.BEST][0].setting, 300),
    (PRESETS["mnist"][Preset.LIGHT][0].setting, 300),  # as in the paper's comparison, and not as in the preset
    (PRESETS["mnist"][Preset.LIGHT][1].setting, 400),
    (SWEEPS["mnist"][Swept.T][0].setting, None),
])  # fmt: skip
def test_planned_epochs(setting, n_epochs):
    assert planned_epochs("mnist", setting) == n_epochs
