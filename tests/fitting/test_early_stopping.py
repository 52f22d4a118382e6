"""Early stopping, callbacks and the other ways for a training to end."""

import copy
import pickle

import numpy as np
import pytest

from tests.helpers.problems import assert_same_model, small, table, three_classes, xor
from wtm.fitting.early_stopping import hold_out
from wtm.machine.examples import pack_examples
from wtm.machine.machine_parameters import ENGINES
from wtm.machine.training_rows import LabelledExamples


@pytest.fixture(scope="module")
def problem():
    return three_classes()


def labelled(X, y, weights=None):
    return LabelledExamples(pack_examples(X), np.asarray(y), weights)


# --- Rows that are held out -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("fraction", [0.1, 0.25, 0.5, 0.9])
@pytest.mark.parametrize("shares", [[40, 40, 40], [100, 15, 5], [111, 8, 1]], ids=str)
def test_rows_are_divided_in_equal_shares_of_the_classes(shares, fraction):
    y = np.repeat(np.arange(3), shares)[np.argsort(table(120, 16) @ 2.0 ** np.arange(16))]
    X = np.unpackbits(np.arange(120, dtype=np.uint8)[:, None], axis=1)  # the bits of each row are its number
    weights = np.arange(120) + 1.0
    training, validation = hold_out(labelled(X, y, weights), fraction, seed=5)
    found = [[int(w) - 1 for w in part.weights] for part in (training, validation)]
    assert sorted(found[0] + found[1]) == list(range(120))
    for part, rows in zip((training, validation), found, strict=True):
        assert rows == sorted(rows)
        assert part.labels.tolist() == y[rows].tolist()
        assert (part.examples.literals == pack_examples(X[rows]).literals).all()
    held_out = np.bincount(validation.labels, minlength=3)
    for share, count in zip(shares, held_out, strict=True):
        assert abs(count - fraction * share) <= 1.5 if share > 1 else count == 0
    again = hold_out(labelled(X, y, weights), fraction, seed=5)[1]
    assert (again.weights == validation.weights).all()
    other = hold_out(labelled(X, y, weights), fraction, seed=6)[1]
    assert (other.weights != validation.weights).any()


def test_where_too_few_rows_can_be_held_out_it_is_said_before_training(problem):
    X, y = problem
    for rows, fraction in ([0, 1, 2], 0.1), (np.arange(30), 0.01), (np.arange(30), 0.99):
        model = small(early_stopping=True, validation_fraction=fraction, n_epochs=10**9)
        with pytest.raises(ValueError, match=r"^early_stopping can't hold out validation_fraction=.*X_val and y_val"):
            model.fit(X[rows], y[rows] if len(rows) > 3 else [0, 1, 2])
        assert not hasattr(model, "classes_")


@pytest.mark.parametrize(
    ("labels", "reason"),
    [
        ([0, 1, 2], "of 3 rows with 3 classes: every class has a single row"),
        ([0, 0, 1, 1, 2], "of 5 rows with 3 classes: both parts need a row of each of the 2 classes with two"),
    ],
    ids=str,
)
def test_too_few_rows_are_explained_in_terms_of_the_callers_rows(problem, labels, reason):
    with pytest.raises(ValueError, match=reason) as caught:
        small(early_stopping=True).fit(problem[0][: len(labels)], labels)
    assert "n_samples" not in str(caught.value)
    assert caught.value.__suppress_context__, "the traceback would show scikit-learn's error about other rows"


def test_a_class_with_a_single_row_is_trained(problem):
    X, y = problem
    X, y = np.vstack([X, 1 - X[:1]]), np.append(y, 9)
    model = small(early_stopping=True).fit(X, y)
    assert model.classes_.tolist() == [0, 1, 2, 9]
    assert model.machines_[3].include.any()


# --- The best epoch ---------------------------------------------------------------------------------------------------


def accuracies(model):
    return [entry["valid_accuracy"] for entry in model.history_]


@pytest.mark.parametrize("engine", ENGINES)
def test_the_best_epoch_is_kept_and_no_other(problem, engine):
    X, y = problem
    train, valid = slice(0, 60), slice(60, 120)
    given = {"X_val": X[valid], "y_val": y[valid]}
    changes = {"engine": engine, "s": 1.5, "T": 3, "n_epochs": 40}
    model = small(early_stopping=True, n_iter_no_change=6, **changes).fit(X[train], y[train], **given)
    best = int(np.argmax(accuracies(model))) + 1  # the earliest on a tie
    assert model.best_epoch_ == model.n_epochs_ == best
    assert len(model.history_) == best + 6
    assert model.score(X[valid], y[valid]) == max(accuracies(model))
    changes["n_epochs"] = best
    assert_same_model(model, small(**changes).fit(X[train], y[train], **given))
    changes["n_epochs"] = best + 6
    assert accuracies(small(**changes).fit(X[train], y[train], **given)) == accuracies(model)


def test_held_out_rows_are_not_trained_on(problem):
    X, y = problem
    model = small(early_stopping=True, n_iter_no_change=3, n_epochs=30, validation_fraction=0.25).fit(X, y)
    training, validation = hold_out(labelled(X, y).by_content(), 0.25, seed=model.random_state)
    rows = np.flatnonzero([row.tolist() in validation.examples.literals.tolist() for row in pack_examples(X).literals])
    assert len(validation.labels) == 30
    assert len(rows) >= 30
    assert max(accuracies(model)) in [k / 30 for k in range(31)]
    alone = small(n_epochs=model.best_epoch_)
    unpacked = np.unpackbits(training.examples.literals.view(np.uint8), axis=1, bitorder="little")[:, : X.shape[1]]
    assert_same_model(model, alone.fit(unpacked, training.labels))


def test_without_change_all_epochs_are_trained_and_the_first_is_kept():
    X, y = np.ones((40, 3)), np.arange(40) % 2
    model = small(early_stopping=True, n_iter_no_change=2, n_epochs=9).fit(X, y, X_val=[[1, 1, 1]], y_val=[0])
    assert len(set(accuracies(model)[model.best_epoch_ - 1 :])) <= 2
    assert len(model.history_) in (model.best_epoch_ + 2, 9)


def test_labels_that_training_has_not_seen_are_refused(problem):
    X, y = problem
    model = small(early_stopping=True)
    with pytest.raises(ValueError, match=r"y_val holds the label .*7.* not one of the classes"):
        model.fit(X, y, X_val=X, y_val=np.where(y == 1, 7, y))


def test_training_after_early_stopping_resumes_from_the_best_epoch(problem):
    X, y = problem
    train, valid = slice(0, 60), slice(60, 120)
    given = {"X_val": X[valid], "y_val": y[valid]}
    model = small(early_stopping=True, n_iter_no_change=4, n_epochs=40, s=1.5, T=3, warm_start=True)
    model.fit(X[train], y[train], **given)
    best = model.best_epoch_
    twin = copy.deepcopy(model).partial_fit(X[train], y[train])
    assert_same_model(twin, small(n_epochs=best + 1, s=1.5, T=3).fit(X[train], y[train]))
    assert [entry["epoch"] for entry in twin.history_] == list(range(1, best + 2))
    assert not hasattr(twin, "best_epoch_")
    once = accuracies(model)
    model.fit(X[train], y[train], **given)
    assert model.best_epoch_ == best, "no epoch after it is better, as the first call found"
    assert accuracies(model) == once
    assert not hasattr(model.set_params(early_stopping=False).fit(X[train], y[train]), "best_epoch_")


def test_a_pickle_holds_the_best_epoch(problem):
    X, y = problem
    model = small(early_stopping=True, n_epochs=20).fit(X, y)
    twin = pickle.loads(pickle.dumps(model))
    assert twin.best_epoch_ == model.best_epoch_
    assert (twin.class_sums(X) == model.class_sums(X)).all()


@pytest.mark.parametrize("n_jobs", [2, -1])
def test_threads_change_nothing(problem, n_jobs):
    X, y = problem
    stopped = [small(early_stopping=True, n_epochs=20, n_jobs=n, T=3).fit(X, y) for n in (1, n_jobs)]
    assert_same_model(*stopped)
    assert stopped[0].best_epoch_ == stopped[1].best_epoch_


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [("validation_fraction", v, ValueError) for v in (0, 1, -0.1, 1.5, float("nan"))]
    + [("validation_fraction", v, TypeError) for v in ("0.1", None, True)]
    + [("n_iter_no_change", v, ValueError) for v in (0, -1)]
    + [("n_iter_no_change", v, TypeError) for v in (1.5, None, "3")]
    + [("early_stopping", v, TypeError) for v in (1, "yes", None)]
    + [("callbacks", v, TypeError) for v in (3, "print", [print, 3], {print})],
)
def test_wrong_parameters_are_named(problem, name, value, error):
    with pytest.raises(error, match=f"^{name} must be"):
        small(**{name: value}).fit(*problem)


# --- Callbacks --------------------------------------------------------------------------------------------------------


def test_callbacks_are_called_after_every_epoch(problem):
    X, y = problem
    first, second = [], []
    model = small(n_epochs=3, callbacks=[first.append, second.append]).fit(X, y)
    assert [epoch.number for epoch in first] == [1, 2, 3]
    assert [epoch.n_epochs for epoch in first] == [3, 3, 3]
    assert [epoch.entry for epoch in first] == model.history_
    assert [epoch.entry for epoch in second] == model.history_
    more = []
    model.set_params(callbacks=more.append).partial_fit(X, y)
    assert [(epoch.number, epoch.n_epochs) for epoch in more] == [(4, 4)]
    assert len(more[0].history) == 4
    assert_same_model(model, small(n_epochs=4).fit(X, y))


@pytest.mark.parametrize("answer", [True, np.True_])
def test_true_ends_the_training(problem, answer):
    X, y = problem
    model = small(n_epochs=10**9, callbacks=[lambda epoch: epoch.number == 2 and answer, lambda epoch: None]).fit(X, y)
    assert_same_model(model, small(n_epochs=2).fit(X, y))
    assert len(model.history_) == 2


@pytest.mark.parametrize("answer", [None, False, 0, 1, "stop", np.False_, [1]], ids=repr)
def test_nothing_else_does(problem, answer):
    assert small(n_epochs=3, callbacks=lambda epoch: answer).fit(*problem).n_epochs_ == 3


def test_a_stopped_training_keeps_its_best_epoch_all_the_same(problem):
    X, y = problem
    model = small(n_epochs=30, early_stopping=True, callbacks=lambda epoch: epoch.number == 5, s=1.5, T=3).fit(X, y)
    assert len(model.history_) == 5
    assert model.best_epoch_ == int(np.argmax(accuracies(model))) + 1


def test_a_callback_measures_and_saves(problem):
    X, y = problem
    copies = []

    def measure(epoch):
        clf = epoch.estimator()
        epoch.entry["own"] = clf.score(X, y)
        copies.append(clf)

    model = small(n_epochs=3, callbacks=measure, class_weight={0: 2}).fit(X, y)
    plain = small(n_epochs=3, class_weight={0: 2}).fit(X, y)
    assert_same_model(model, plain)
    for n_epochs, clf in enumerate(copies, 1):
        alone = small(n_epochs=n_epochs, class_weight={0: 2}).fit(X, y)
        assert_same_model(clf, alone)
        assert model.history_[n_epochs - 1]["own"] == alone.score(X, y)
        assert (clf.predict_proba(X) == alone.predict_proba(X)).all()
        assert [entry["epoch"] for entry in clf.history_] == list(range(1, n_epochs + 1))
    assert_same_model(copies[0].set_params(callbacks=None).partial_fit(X, y), copies[1])
    assert_same_model(pickle.loads(pickle.dumps(copies[0])), copies[0])


def spoil_all(entry):
    entry.update(dict.fromkeys(entry, "spoilt"))


@pytest.mark.parametrize("spoil", [dict.clear, dict.popitem, spoil_all], ids=["empty", "remove", "overwrite"])
@pytest.mark.parametrize("changes", [{}, {"early_stopping": True, "n_iter_no_change": 2}, {"verbose": 2}], ids=str)
def test_what_a_callback_does_to_entries_spoils_no_measured_figure(problem, spoil, changes):
    def callback(epoch):
        assert [entry["epoch"] for entry in epoch.history] == list(range(1, epoch.number + 1))
        for entry in epoch.history:
            spoil(entry)
        epoch.history.clear()
        epoch.entry["own"] = epoch.number

    model = small(n_epochs=4, callbacks=callback, **changes).fit(*problem)
    plain = small(n_epochs=4, **changes).fit(*problem)
    assert_same_model(model, plain)
    for number, (entry, expected) in enumerate(zip(model.history_, plain.history_, strict=True), 1):
        expected |= {"own": number, "seconds": entry["seconds"]}
        assert entry == expected
        assert entry["seconds"] > 0


class OwnError(Exception):
    """Raised by a callback."""


@pytest.mark.parametrize("error", [OwnError, KeyboardInterrupt])
@pytest.mark.parametrize("fitted", [True, False])
def test_what_a_callback_raises_arrives_and_nothing_is_lost(problem, error, fitted):
    X, y = problem

    def stumble(epoch):
        epoch.entry["seen"] = True
        if epoch.number >= 2:
            raise error

    model = small(warm_start=True)
    if fitted:
        model.set_params(n_epochs=1).fit(X, y)
    attributes = dict(vars(model))
    history = copy.deepcopy(getattr(model, "history_", None))
    model.set_params(callbacks=stumble, n_epochs=5)
    with pytest.raises(error):
        model.fit(X, y)
    model.set_params(callbacks=attributes["callbacks"], n_epochs=attributes["n_epochs"])
    assert vars(model) == attributes
    assert getattr(model, "history_", None) == history
    model.set_params(n_epochs=2, warm_start=False).fit(X, y)
    assert_same_model(model, small(n_epochs=2).fit(X, y))


def test_verbose_lines_come_before_callbacks_and_say_the_validation_accuracy(capsys):
    X, y = xor()
    small(n_epochs=2, verbose=2, early_stopping=True, callbacks=lambda epoch: print("called")).fit(X, y)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines] == ["epoch 1", "called", "epoch 2", "called"]
    assert "valid" in lines[0]
