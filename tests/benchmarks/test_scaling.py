"""The cost model: bytes against real arrays, seconds against made-up ones, and the page against the measurements."""

import json
import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.scaling import cost
from benchmarks.scaling.__main__ import PAGE, RESULTS
from benchmarks.scaling.cost import Feedback, Sizes
from benchmarks.scaling.measure import (
    AXES,
    BASE,
    EPOCHS,
    N_PREDICTED,
    REPEATS,
    Case,
    cases,
    make_rows,
    measure_case,
    measure_prediction,
)
from wtm import WTMClassifier
from wtm.machine.class_machine import Machine
from wtm.machine.class_tasks import Round
from wtm.machine.examples import pack_examples
from wtm.machine.machine_parameters import MachineParameters
from wtm.machine.schedule import BYTES_PER_EXAMPLE, draw_schedule
from wtm.machine.shards import bounds_of_blocks
from wtm.machine.voting import VotingModel

features = st.integers(1, 1_500)
half_clauses = st.integers(1, 600)
task_seconds = st.lists(st.floats(0.01, 10), min_size=1, max_size=30)


def machine(n_features, n_clauses, index=0):
    return Machine.new(MachineParameters(n_features, n_clauses, T=5.0, s=3.0, gamma=0.1), 1, index)


@given(features, st.integers(1, 40))
def test_bytes_of_rows(n_features, n_rows):
    packed = pack_examples(np.zeros((n_rows, n_features), np.uint8))
    assert n_rows * cost.row_bytes(n_features) == packed.literals.nbytes


@given(features, half_clauses)
@settings(max_examples=30, deadline=None)
def test_bytes_of_machines(n_features, half):
    sizes = Sizes(rows=0, features=n_features, classes=2, clauses=2 * half)
    built = machine(n_features, 2 * half)
    arrays = (built.automata, built.include_bits, built.exponents, built.random)
    assert cost.machine_bytes(sizes) == sum(array.nbytes for array in arrays)
    assert cost.working_bytes(sizes) == built.parameters.work_bytes


@given(st.integers(0, 2_000), st.integers(2, 20))
def test_bytes_of_schedules(n_rows, n_classes):
    parts = draw_schedule(np.arange(n_rows) % n_classes, n_classes, seed=1, n_seen=0, shuffle=True)
    for part in parts:
        assert cost.schedule_bytes(len(part.rows)) == part.rows.nbytes + part.targets.nbytes
    assert sum(len(part.rows) for part in parts) == 2 * n_rows
    assert cost.drawing_bytes(n_rows) == BYTES_PER_EXAMPLE * n_rows


def test_bytes_of_a_model_for_prediction():
    X, y = make_rows(Sizes(500, 30, 3, 0), 1)
    fitted = WTMClassifier(20, T=5, s=3.0, n_epochs=2, random_state=1).fit(X, y)
    voting = VotingModel.of(fitted._model.machines)
    held = sum(array.nbytes for array in (voting.clause_ends, voting.literal_list, voting.clause_votes))
    held += voting.sums(pack_examples(X)).nbytes
    assert cost.prediction_bytes(Sizes(500, 30, 3, 20), len(voting.literal_list)) == held


def test_bytes_that_say_which_rows_a_class_sees():
    packed_rows = pytest.importorskip("wtm.dask.packed_rows")
    rows = packed_rows.LabelledExamples(pack_examples(np.eye(2_000, dtype=np.uint8)), np.arange(2_000) % 3)
    index = packed_rows.make_index([packed_rows.outline_of(rows)], packed_rows.LabelledExamples, True)
    plan = index.draw_round(None, Round(n_machines=3, n_epochs=1, shuffle=True), 1, 0)
    places, orders = (sum(len(pickle.dumps(part[i])) for part in plan) / 4_000 for i in range(2))
    assert cost.PLACE_BYTES <= places < cost.PLACE_BYTES + 1
    assert cost.ORDER_BYTES <= orders < cost.ORDER_BYTES + 1


def test_one_worker_gets_no_rows_from_others():
    assert cost.dask_rows_sent(BASE, 1) == cost.dask_plan_sent(BASE, 1) == 0
    assert cost.dask_rows_sent(BASE, 4) == 2 * BASE.rows * cost.row_bytes(BASE.features)


@given(task_seconds, st.integers(1, 8))
def test_makespan_is_between_its_bounds(seconds, n_workers):
    found, share = cost.makespan(seconds, n_workers), sum(seconds) / n_workers
    assert max(share, *seconds, 0) <= found * (1 + 1e-9)
    assert found <= (share + max(seconds)) * (1 + 1e-9)


def test_the_longest_tasks_are_placed_first():
    assert cost.makespan([1, 1, 2], 2) == 2
    assert cost.makespan([1, 2, 3], 1) == 6


@given(st.lists(st.floats(0, 1e-6), min_size=5, max_size=5))
@settings(deadline=None)
def test_constants_are_found_again(constants):
    rng = np.random.default_rng(0)
    terms = np.array([cost.task_terms(BASE, Feedback(*rng.uniform(1, 1e6, 3))) for _ in range(20)])
    seconds = terms @ (np.array(constants) + 1e-9)
    np.testing.assert_allclose(terms @ cost.fit_constants(terms, seconds), seconds, rtol=1e-6)


def test_tasks_of_average_size_add_up():
    feedback = cost.expected_feedback(BASE, true_share=0.01, false_share=0.1)
    visits = 2 * BASE.rows * BASE.clauses
    np.testing.assert_allclose(BASE.classes * np.array(feedback), [2 * BASE.rows, 0.01 * visits, 0.1 * visits])
    examples, blocks, changed, automata, false = cost.task_terms(BASE, feedback)
    assert blocks == 4 * BASE.clauses  # 1,600 examples
    assert automata == changed * 448  # of 400 literals
    assert changed == feedback.true + BASE.clauses
    assert (examples, false) == (feedback.examples, feedback.false)


def test_votes_and_exchanges_of_shards():
    examples = 2 * BASE.rows // BASE.classes
    assert cost.exchanges(BASE, vote_block=100) == len(bounds_of_blocks(examples, 100))
    assert cost.votes_sent(BASE, n_shards=3) == 2 * 3 * 8 * 2 * BASE.rows


def test_each_size_is_measured_at_four_points_and_the_largest_checks():
    found = cases(with_mnist=False)
    for axis, values in AXES.items():
        on_axis = [case for case in found if axis in case.axes and case.data == "made up"]
        assert sorted(getattr(case.sizes, axis) for case in on_axis) == sorted(values)
        assert not max(on_axis, key=lambda case: getattr(case.sizes, axis)).fits
    assert {case.data for case in found if not case.fits} == {case.data for case in found if case.fits}


def test_a_case_is_measured_class_by_class():
    case = Case("made up", Sizes(rows=300, features=12, classes=3, clauses=10), axes=(), fits=True)
    found = measure_case(case, None)
    assert [epoch["epoch"] for epoch in found["epochs"]] == list(EPOCHS)
    for epoch in found["epochs"]:
        assert np.array(epoch["seconds"]).shape == (REPEATS, 3)
        examples, true, false = np.sum(epoch["feedback"], axis=0)
        assert examples == 2 * 300
        assert min(true, false) > 0
        assert true + false < examples * 10  # a clause gets feedback once for an example
    predicted = measure_prediction(case, None)
    assert predicted["sizes"].rows == N_PREDICTED
    assert 3 <= predicted["n_weights"] <= 30
    assert min(predicted["seconds"]) > 0


def test_the_page_has_the_figures_of_the_results():
    page = pytest.importorskip("benchmarks.scaling.page")
    stored = json.loads(Path(RESULTS).read_text("utf-8"))
    assert page.page_of(page.Results(stored)) == PAGE.read_text("utf-8")
