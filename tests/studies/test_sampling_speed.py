import json

import pytest

from studies import sampling_speed
from studies.sampling_speed import measure_sampling, mnist_if_there, time_samplers
from tests.helpers.made_up_results import write_mnist
from wtm.datasets import DatasetNotFoundError
from wtm.kernels.sampling import fill_masks


@pytest.mark.parametrize("n_literals", [63, 168])
def test_samplers_are_timed_and_their_counts_checked(n_literals):
    timings = time_samplers(n_literals, 0.25, rounds=3, seed=0)
    assert set(timings) == {"bernoulli", "binomial", "bits"}
    for timing in timings.values():
        assert timing["nanoseconds"] > 0
        assert 0 < timing["factor_low"] <= timing["factor"] <= timing["factor_high"]
        assert abs(timing["standard_errors"]) < 5
        error = (n_literals * 0.25 * 0.75 / timing["masks"]) ** 0.5
        assert timing["mean_count"] == pytest.approx(n_literals * 0.25 + timing["standard_errors"] * error)


def test_a_biased_sampler_is_noticed(monkeypatch):
    def biased(random, mask, n_literals, sampler, *rest):
        threshold = sampler.threshold + sampler.threshold // 100
        fill_masks(random, mask, n_literals, sampler._replace(threshold=threshold), *rest)

    monkeypatch.setattr(sampling_speed, "fill_masks", biased)
    timings = time_samplers(1568, 0.25, rounds=40, seed=0)
    assert timings["bits"]["standard_errors"] > 5
    assert abs(timings["binomial"]["standard_errors"]) < 5  # drawn from a table, which was not touched


@pytest.fixture
def few_timings(monkeypatch):
    """Each sampler at two sizes, for a tenth of the time."""
    monkeypatch.setattr(sampling_speed, "LITERALS", (168, 1568))
    monkeypatch.setattr(sampling_speed, "PROBABILITIES", (0.1,))
    monkeypatch.setattr(sampling_speed, "_SECONDS_PER_TURN", 1e-4)


def test_measurements_are_written_and_shown(few_timings, tmp_path, capsys):
    measure_sampling(None, tmp_path, 1)
    assert "in the paper; “bits”, the sampler of `wtm`, is" in " ".join(capsys.readouterr().out.split())
    results = json.loads((tmp_path / "sampling.json").read_text())
    assert results["first_epoch"] == {}
    assert [(point["n_literals"], point["p"]) for point in results["points"]] == [(168, 0.1), (1568, 0.1)]
    for point in results["points"]:
        assert point["samplers"]["bernoulli"]["factor"] == 1
    with pytest.raises(ValueError, match=r"sampling\.json already exists\. Choose another folder"):
        measure_sampling(None, tmp_path, 1)


def test_the_first_epoch_is_timed_with_each_sampler(few_timings, tmp_path, monkeypatch, capsys):
    data_dir = tmp_path / "data"
    data_dir.mkdir()
    problem = sampling_speed.load_problem("mnist", write_mnist(data_dir, n_train=60))
    setting = sampling_speed.Setting("TM", 10, 0.25, 0.0, 5)
    monkeypatch.setattr(sampling_speed, "FIRST_EPOCH", setting)
    measure_sampling(problem, tmp_path / "out", 1)
    epochs = json.loads((tmp_path / "out" / "sampling.json").read_text())["first_epoch"]
    assert set(epochs) == {"bernoulli", "binomial", "bits"}
    assert all(epoch["seconds"] > 0 < epoch["type_i"] for epoch in epochs.values())
    assert "bits, here" in capsys.readouterr().out


def test_wrong_counts_are_an_error_after_the_results_are_written(tmp_path, monkeypatch):
    def off(n_literals, p, rounds, seed):
        errors = 5.1 if (n_literals, p) == (1568, 0.1) else 0.0
        timing = dict.fromkeys(("nanoseconds", "factor", "factor_low", "factor_high"), 1.0)
        return dict.fromkeys(("bernoulli", "binomial", "bits"), timing | {"standard_errors": -errors})

    monkeypatch.setattr(sampling_speed, "time_samplers", off)
    with pytest.raises(ValueError, match=r"more than 5 standard errors off at u = 1568, p = 0\.1\."):
        measure_sampling(None, tmp_path, 1)
    points = json.loads((tmp_path / "sampling.json").read_text())["points"]
    assert points[0]["samplers"]["bits"]["standard_errors"] == 0


def test_without_mnist_its_first_epoch_is_left_out_unless_a_folder_is_named(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("WTM_DATA", str(tmp_path))
    assert mnist_if_there(None) is None
    monkeypatch.delenv("WTM_DATA")
    assert mnist_if_there(None) is None
    assert capsys.readouterr().err.count("No MNIST: the share of drawing") == 2
    with pytest.raises(DatasetNotFoundError):
        mnist_if_there(tmp_path)
