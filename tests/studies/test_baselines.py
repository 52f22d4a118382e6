import numpy as np
import pytest
from sklearn.dummy import DummyClassifier

from studies import baselines
from studies.baselines import FIXED, RANDOM, measure_baselines
from tests.helpers.made_up_results import write_mnist
from wtm.paper.report.other_methods import FIXED_METHODS, METHODS, read_baselines


@pytest.fixture
def data_dir(tmp_path):
    (tmp_path / "data").mkdir()
    return write_mnist(tmp_path / "data", n_train=60)


def test_every_method_has_an_estimator_that_starts_with_the_seed():
    assert set(RANDOM | FIXED) == set(METHODS)
    assert set(FIXED) == set(FIXED_METHODS)
    for name, make in RANDOM.items():
        seeds = [value for key, value in make(7).get_params().items() if key.endswith("random_state")]
        assert 7 in seeds, name


def test_methods_are_measured_with_each_seed_and_skipped_when_resuming(data_dir, tmp_path, monkeypatch, capsys):
    chosen = {"naive-bayes": METHODS["naive-bayes"], "tree": METHODS["tree"]}
    monkeypatch.setattr(baselines, "METHODS", chosen)
    out = tmp_path / "out"
    measure_baselines(data_dir, out, 2)
    assert {path.name for path in out.iterdir()} == {"naive-bayes-seed0.json", "tree-seed0.json", "tree-seed1.json"}
    found = read_baselines(out)
    assert all(run["test_accuracy"] > 0.5 for runs in found.values() for run in runs)  # an image shows its digit
    assert "Decision tree" in capsys.readouterr().out
    with pytest.raises(ValueError, match=r"already exists\. Pass --resume"):
        measure_baselines(data_dir, out, 2)
    measure_baselines(data_dir, out, 2, resume=True)
    assert read_baselines(out) == found


def test_what_a_method_warns_of_is_reported_in_one_line(data_dir, tmp_path, monkeypatch, capsys):
    class Warns(DummyClassifier):
        def fit(self, X, y):
            np.float64(1) / np.float64(0)
            return super().fit(X, y)

    monkeypatch.setattr(baselines, "METHODS", {"linear": METHODS["linear"]})
    monkeypatch.setitem(FIXED, "linear", lambda seed: Warns())
    measure_baselines(data_dir, tmp_path / "out")
    assert "Linear classifier (least squares): divide by zero" in capsys.readouterr().err
