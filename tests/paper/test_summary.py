import statistics

import numpy as np
import pytest

from tests.helpers.made_up_results import SMALL, keep, made_up_record
from wtm.machine.class_machine import Machine
from wtm.machine.machine_parameters import MachineParameters
from wtm.paper.record import by_setting, describe_weights, read_record, read_records
from wtm.paper.result_tables import accuracy_table, sweep_table
from wtm.paper.settings import SWEEPS, Swept, large_machines
from wtm.paper.summary import summarise
from wtm.paper.text_table import Table

ACCURACIES = [50, 70, 90, 60, 90, 80, 70, 75, 70, 80, 84]
BEST, _ = large_machines("connect-4")


def test_summary_of_one_training():
    summary = summarise([made_up_record(SMALL, ACCURACIES, seconds=2.0)])
    assert (summary.n_seeds, summary.epochs, summary.averaged) == (1, 11, 3)  # a fifth, rounded up
    s = summary.statistics
    assert (s.maximum, s.minimum, s.mean) == pytest.approx((84, 70, 78))
    assert s.deviation == pytest.approx(statistics.pstdev([70, 80, 84]))
    assert (s.low, s.high) == pytest.approx((70.5, 83.8))  # 2.5 % of the way from the ends
    assert (summary.last, summary.seed_peaks) == (pytest.approx(84), (pytest.approx(90),))
    assert str(summary) == "78.00 (1 seed)"


def test_summary_of_several_seeds_is_over_what_all_have():
    longer = made_up_record(SMALL, [x + 2 for x in ACCURACIES] + [10], seed=1)
    summary = summarise([made_up_record(SMALL, ACCURACIES), longer])
    assert (summary.n_seeds, summary.epochs) == (2, 11)
    assert summary.seed_means == pytest.approx((78, 80))
    assert summary.statistics.mean == pytest.approx(79)
    assert str(summary) == "79.00 (2 seeds)"


def test_summary_of_fewer_epochs_is_that_of_a_shorter_training():
    cut = summarise([made_up_record(SMALL, ACCURACIES)], 5)
    assert cut == summarise([made_up_record(SMALL, ACCURACIES[:5])])
    assert cut.seed_peaks == pytest.approx((90,))


def cells(table, start):
    (row,) = [row for row in table.rows if row[0].startswith(start)]
    return dict(zip(table.header, row, strict=True))


def test_table_has_the_authors_figures_next_to_ours():
    authors, ours = accuracy_table([[made_up_record(BEST, [87.0] * 8 + [88.0, 87.5])]]).rows
    name, ours_only = "WTM 25,000, T 100", ("1", "10 of 1,000 (2)", "87.75", "0.25", "87.50–88.00", "87.51–87.99")
    papers = ("1", "1,000 (200)", "87.32", "0.20", "86.75–87.91", "86.97–87.66")
    assert authors == (f"{name}, authors", *papers, "87.24", "87.91")
    assert ours == tuple(f"**{cell}**" for cell in (name, *ours_only, "87.50", "88.00"))


def test_table_of_two_recipes_has_the_authors_figures_once():
    large = large_machines("imdb")[0]
    table = accuracy_table([[made_up_record(large, [90.0] * 5, key=key)] for key in ("imdb", "imdb-authors")])
    assert [row[0] for row in table.rows] == [
        "WTM 25,000, T 60, authors", "**WTM 25,000, T 60**", "**WTM 25,000, T 60, authors' features**"
    ]  # fmt: skip


def test_table_of_seeds_has_the_interval_of_their_mean():
    records = [made_up_record(SMALL, [80.0 + seed] * 5, seed=seed) for seed in range(3)]
    assert cells(accuracy_table([records]), "**WTM 10")["mean"] == "**81.00 ± 2.48**"


def test_sweeps_have_a_column_per_value():
    settings = [plan.setting for plan in SWEEPS["connect-4"][Swept.GAMMA][:2]]
    groups = [[made_up_record(setting, [60.0 + i] * 5 + [9.0] * i)] for i, setting in enumerate(settings)]
    table = sweep_table(Swept.GAMMA, groups)
    assert (table.header, list(table.rows)) == (["gamma", "0", "3e-05"], [["WTM (%)", "60.00", "61.00"]])
    settings = [plan.setting for plan in SWEEPS["connect-4"][Swept.CLAUSES][:3]]
    table = sweep_table(Swept.CLAUSES, [[made_up_record(setting, [60.0])] for setting in settings])
    assert table.header == ["clauses per class", "50", "100"]
    assert list(table.rows) == [["WTM (%)", "60.00", "60.00"], ["TM (%)", "60.00", "–"]]


def test_tables_as_markdown_and_for_terminals():
    table = Table(["", "a"], [["**x**", "1"], ["y", "2"]])
    assert table.markdown() == "|  | a |\n| :--- | ---: |\n| **x** | 1 |\n| y | 2 |"
    assert [column.header for column in table.rich("Tea").columns] == ["", "a"]
    turned = table.rich("Tea", transposed=True)
    assert [column.header for column in turned.columns] == ["", "x", "y"]
    assert [list(column.cells) for column in turned.columns] == [["a"], ["1"], ["2"]]


def test_records_are_read_in_order_and_grouped(tmp_path):
    a, b = made_up_record(SMALL, [1, 2]), made_up_record(BEST, [3])
    keep(tmp_path, b, a)
    (tmp_path / "connect-4" / "other.json").write_text("{}")
    records = read_records(tmp_path / "connect-4")
    assert sorted(records, key=lambda r: r.setting.n_clauses) == [a, b]
    assert by_setting([a, b, a]) == [[a, a], [b]]


@pytest.mark.parametrize("content", ["", "[1]", "{}", '{"kind": "tea"}', '{"kind": "training", "seed": 1}'])
def test_what_is_no_record_is_named(tmp_path, content):
    path = tmp_path / "wtm-1-seed0.json"
    path.write_text(content)
    with pytest.raises(ValueError, match=r"wtm-1-seed0\.json"):
        read_record(path)


def test_weights_are_of_all_clauses_and_the_histogram_of_positive_ones():
    machine = Machine.new(MachineParameters(n_features=9, n_clauses=10, T=5.0, s=4.0, gamma=0.05), 0, 0)
    machine.exponents[:] = np.arange(10) - 4
    found = describe_weights("tea", machine)
    assert found["all"]["minimum"] == pytest.approx(1.05**-4)
    assert found["all"]["maximum"] == pytest.approx(1.05**5)
    assert found["positive"] == {"-3": 1, "-2": 2, "-1": 1, "0": 1}  # eighths of a doubling: 1.05**-4 is 2**-0.28
