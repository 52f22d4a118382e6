"""What the page on ablations says about the differences between the authors' means and ours."""

import pytest

from studies.findings import explain_differences


def runs(*means, averaged=50):
    """Trainings with seeds 0, 1, ... whose last epochs have these means, in per cent."""
    return [{"seed": seed, "test_accuracy": [0.5] * 10 + [mean / 100] * averaged} for seed, mean in enumerate(means)]


def test_nothing_is_said_of_nothing():
    assert explain_differences({}) == ""


def test_the_programs_first_seed_alone_settles_nothing():
    text = explain_differences({"program": runs(98.5), "file-order": runs(98.3, 98.4)})
    assert "with its default seed has 98.50" in text
    assert "has 98.35 ± 0.07 (2 seeds, 98.30 to 98.40)" in text
    assert "ther seeds" not in text


@pytest.mark.parametrize(("others", "said"), [
    ([98.36], "So the program with other seeds agrees with wtm, and the paper's mean is that of one seed."),
    ([98.49, 98.51], "So other seeds of the program agree with its default seed, and the difference is in the draws."),
])  # fmt: skip
def test_other_seeds_of_the_program_settle_it(others, said):
    text = explain_differences({"program": runs(98.5, *others), "file-order": runs(98.3, 98.4)})
    assert said in text


@pytest.mark.parametrize(
    ("first", "said"), [(98.5, "+2.1 standard deviations from the mean of wtm."), (98.6, "more than chance")]
)
def test_a_seed_that_is_far_off_is_called_so(first, said):
    text = explain_differences({"program": runs(first, 98.36), "file-order": runs(98.3, 98.4)})
    assert said in text
    assert ("nothing here shows" in text) == (first > 98.55)


def test_seeds_are_distinguished_whatever_their_order():
    text = explain_differences({"program": runs(98.5, 98.3)[::-1], "file-order": runs(98.3)})
    assert "with its default seed has 98.50" in text
    assert "With other seeds, the program has 98.30 (one seed)." in text


@pytest.mark.parametrize(("few", "verdict"), [(80.5, "match"), (79.9, "match"), (79.0, "do not match")])
def test_few_clauses_against_many_in_the_order_of_the_file(few, verdict):
    results = {"connect-4-file-order": runs(few), "connect-4-tm-file-order": runs(80.0)}
    assert f"{few - 80:+.2f}. So the few clauses {verdict} the many." in explain_differences(results)


def test_what_a_new_order_is_worth():
    results = {"connect-4-shuffled": runs(81.5), "connect-4-file-order": runs(79.5)}
    assert "the order of the file: +2.00 points." in explain_differences(results)


def test_seeds_of_imdb_and_how_far_apart_they_are():
    text = explain_differences({"imdb-shuffled": runs(90.2, 89.7), "imdb-file-order": runs(90.0)})
    assert "has 89.95 ± 0.35 (2 seeds, 89.70 to 90.20) with a new order in each epoch." in text
    assert "With one order in all epochs it has 90.00 (one seed)." in text
    assert "range from 89.70 to 90.20, so a difference of 0.50 may be due to the seed alone." in text
