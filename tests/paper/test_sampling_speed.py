import pytest

from wtm.kernels.sampling import fill_masks
from wtm.paper.experiments import sampling_speed
from wtm.paper.experiments.sampling_speed import time_samplers


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
