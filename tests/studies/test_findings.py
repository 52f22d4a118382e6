"""What the page on ablations says about the authors' program."""

import pytest

from studies.findings import explain_program, program_table


def runs(*means, n_epochs=200):
    """Trainings with seeds 0, 1, ... whose last epochs have these means, in per cent."""
    return [{"seed": s, "test_accuracy": [0.5] * (n_epochs - 60) + [m / 100] * 60} for s, m in enumerate(means)]


OURS = runs(98.3, 98.35, 98.4)


def said(results):
    return "\n".join(explain_program(results))


def test_nothing_is_said_of_nothing():
    assert program_table({}) is None
    assert said({"file-order": OURS}) == ""


def test_the_own_seed_is_separate_whatever_the_order():
    table = program_table({"program": runs(98.5, 98.3, 98.32)[::-1], "file-order": OURS})
    assert table.header[0] == "MNIST, 4,000 clauses, 200 epochs"
    assert [list(row) for row in table.rows] == [
        ["program, its own seed", "1", "98.50", "–"],
        ["program, other seeds", "2", "98.31", "0.014"],
        ["wtm, order of the file", "3", "98.35 ± 0.12", "0.050"],
    ]


def test_skipped_draws_have_a_row():
    table = program_table({"program": runs(98.5), "program-skipping": runs(98.4, 98.3)})
    assert list(table.rows[-1]) == ["program, its own seed, draws skipped", "2", "98.35", "0.071"]


def test_how_far_off_the_own_seed_is():
    # t = 0.15 / (0.05 * sqrt(4 / 3)) = 2.598 with 2 degrees of freedom: p = 1 - t / sqrt(2 + t^2) = 0.1217
    text = said({"program": runs(98.5), "file-order": OURS})
    assert text == (
        "The program's own seed differs from the mean of wtm by +0.15; if the program's seeds varied as wtm's do, "
        "about one in 8 would be as far off."
    )


def test_the_end_is_compared_with_new_orders():
    program = {"program": [*runs(98.5, n_epochs=300), runs(98.5, 98.3)[1]], "file-order": OURS}
    text = "\n".join(explain_program(program, runs(98.4, 98.45, 98.5, n_epochs=300)))
    assert "98.50, and wtm, with rows shuffled each epoch, 98.45 ± 0.12 (3 seeds)." in text
    assert "They differ by +0.05; if" in text
    assert "After" not in "\n".join(explain_program(program, runs(98.4, 98.45, 98.5)))


def test_deviations_are_compared_from_three_seeds_on():
    text = said({"program": runs(98.5, 98.3, 98.31), "file-order": OURS})
    assert (
        "3 seeds is 0.113, without its own 0.007, that of wtm's 0.050 (F test of all seeds, one-sided: p = 0.16)"
        in text
    )


@pytest.mark.parametrize(("own", "relation"), [(98.5, "outside"), (98.4, "inside")])
def test_the_own_seed_is_compared_with_three_others(own, relation):
    # t = 4.303 with 2 degrees of freedom: 4.303 * 0.03 * sqrt(4 / 3) = 0.15
    text = said({"program": runs(own, 98.27, 98.3, 98.33)})
    assert f"other seeds by {own - 98.3:+.2f}, {relation} the 95 % interval of one more run, ± 0.15." in text


def test_runs_with_draws_skipped_count_as_other_seeds():
    text = said({"program": runs(98.5, 98.27), "program-skipping": runs(98.3, 98.33)})
    said_of = "own seed differs from the mean of the 1 other seed and 2 runs with draws skipped by +0.20, outside"
    assert said_of in text


def test_an_unfinished_training_with_skipped_draws_shortens_nothing():
    table = program_table({"program": runs(98.5), "program-skipping": runs(98.4, n_epochs=70)})
    assert [row[0] for row in table.rows] == ["program, its own seed"]
    assert "200 epochs" in table.header[0]


@pytest.mark.parametrize(("key", "name"), [("program-3", "MNIST"), ("connect-4-program", "Connect-4")])
def test_readmes_are_named(key, name):
    assert said({key: runs(80.0, n_epochs=100)}).startswith(f"On {name}, after ")
