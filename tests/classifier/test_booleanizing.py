"""The classifier on columns of any kind: its booleanizer is learnt in fit, kept, and used in the rules."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from tests.helpers.feature_names import table_of_truth
from tests.helpers.problems import assert_same_model, small, three_classes
from wtm import Booleanizer
from wtm.encoding import learn_booleanizer
from wtm.rules import rules_of
from wtm.tables.reading import read_table


def mixed(n_rows=400):
    """Rows of (age, colour, member, income with gaps), and a label that age and colour decide."""
    rng = np.random.default_rng(0)
    age, colour = rng.integers(18, 80, n_rows), rng.choice(["red", "green", "dark blue"], n_rows)
    income = rng.normal(30, 5, n_rows).round(2)
    rows = [
        [int(a), str(c), bool(m), None if gap else float(i)]
        for a, c, m, i, gap in zip(age, colour, rng.random(n_rows) < 0.5, income, rng.random(n_rows) < 0.2, strict=True)
    ]
    return rows, np.where((age > 40) & (colour != "red"), "yes", "no")


NAMES = ["age", "the colour", "member", "income"]


def learner(**changes):
    return small(**{"n_clauses": 20, "n_epochs": 20, "T": 10} | changes)


def test_0_and_1_are_taken_as_they_are():
    X, y = three_classes()
    for choice in ("auto", "strict"):
        model = small(booleanizer=choice).fit(X, y)
        assert model.booleanizer_ is None
        assert_same_model(model, small().fit(X, y))


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "O"])
def test_continuous_columns_are_booleanised_and_never_cut_to_0(dtype):
    X = np.random.default_rng(0).normal(size=(400, 5)).astype(dtype)
    y = X[:, 0] > 0
    model = learner().fit(X, y)
    assert model.score(X, y) > 0.95
    assert isinstance(model.booleanizer_, Booleanizer)
    features = Booleanizer().fit_transform(X)
    same = learner().fit(features, y)
    assert_same_model(model, same)
    assert (model.class_sums(X) == same.class_sums(features)).all()


def test_mixed_columns_in_lists_and_frames():
    X, y = mixed()
    model = learner().fit(X, y)
    assert model.score(X, y) > 0.95
    for library in ("pandas", "polars"):
        frames = pytest.importorskip(library)
        frame = frames.DataFrame(X, columns=NAMES) if library == "pandas" else frames.DataFrame(X, NAMES, orient="row")
        other = learner().fit(frame, y, X_val=frame, y_val=y)
        assert_same_model(other, model)
        assert other.feature_names_in_.tolist() == NAMES
        assert (other.class_sums(frame) == model.class_sums(X)).all()
        with pytest.raises(ValueError, match="same order"):
            other.predict(frame[NAMES[::-1]])
        with pytest.raises(ValueError, match="yet now missing"):
            other.predict(frame[NAMES[:2]])
        with pytest.warns(UserWarning, match="valid feature names") as warned:
            assert (other.predict(X) == model.predict(X)).all()
        assert len(warned) == 1
    assert not hasattr(model, "feature_names_in_")


def test_sparse_counts_give_the_model_of_the_dense_ones():
    rng = np.random.default_rng(0)
    X = rng.poisson(0.5, (200, 10))
    y = X[:, 0] > 0
    dense, sparse = learner().fit(X, y), learner().fit(sp.csc_array(X), y)
    assert_same_model(dense, sparse)
    assert (dense.class_sums(sp.coo_array(X)) == sparse.class_sums(X)).all()


def test_rules_say_what_they_compute():
    X, y = mixed()
    model = learner().fit(X, y)
    rules = rules_of(model, NAMES)
    assert any("age > " in literal for rule in rules for literal in rule.literals)
    rows = [dict(zip(NAMES, row, strict=True)) for row in X[:50]]
    sums = {label: np.zeros(len(rows)) for label in model.classes_}
    for rule in rules:
        sums[rule.label] += rule.vote * np.all(table_of_truth(rule.literals, rows), axis=1)
    assert np.allclose(np.column_stack([sums[label] for label in model.classes_]), model.class_sums(X[:50]))
    b = model.booleanizer_
    names = {*b.get_feature_names_out(), *b.get_negated_feature_names_out()}
    assert {literal for rule in rules_of(model) for literal in rule.literals} <= names
    with pytest.raises(ValueError, match="each of the model's 4 features, got 2"):
        rules_of(model, ["a", "b"])


def test_strict_names_the_first_column_that_is_not_0_and_1():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": [0, 1, 1], "b c": [1, 0, 0.5], "d": [7, 8, 9]})
    with pytest.raises(ValueError, match=r"row 2, column 'b c' holds 0\.5"):
        small(booleanizer="strict").fit(frame, [0, 1, 1])
    with pytest.raises(ValueError, match="column 'colour' holds categories, such as 'red'"):
        small(booleanizer="strict").fit(pd.DataFrame({"a": [0, 1], "colour": ["red", "blue"]}), [0, 1])
    with pytest.raises(ValueError, match="row 1, column 0 holds 255"):
        small(booleanizer="strict").fit(sp.csr_array(np.array([[0, 9], [255, 0]])), [0, 1])


def test_a_strict_model_refuses_others_later():
    X, y = three_classes()
    model = small(booleanizer="strict").fit(X, y)
    with pytest.raises(ValueError, match="row 0, column 0 holds 2"):
        model.predict(X[:1] * 0 + 2)
    with pytest.raises(ValueError, match=r"X_val must hold only 0 and 1.*categories"):
        small(booleanizer="strict").fit(X, y, X_val=X.astype(str), y_val=y)
    with pytest.raises(ValueError, match="X contains NaN"):
        model.partial_fit(X * np.nan, y)


def as_frame(library):
    return lambda X: pytest.importorskip(library).DataFrame({f"c{j}": column for j, column in enumerate(X.T)})


LATER = {
    "array": np.asarray,
    "by columns": np.asfortranarray,
    "float32": np.float32,
    "lists": lambda X: X.tolist(),
    "objects": lambda X: np.where(np.isnan(X), None, X.astype(object)),
    "CSR": sp.csr_array,
    "CSC": sp.csc_matrix,
    "pandas": as_frame("pandas"),
    "polars": as_frame("polars"),
    "categorical": lambda X: as_frame("pandas")(X).astype("category"),
}


@pytest.mark.filterwarnings("ignore:X has feature names")
@pytest.mark.parametrize("kind", LATER)
def test_after_0_and_1_a_number_is_true_above_a_half(kind):
    X, y = three_classes()
    Z = X.astype(np.float64)
    Z[X == 1] = np.random.default_rng(0).choice([1, 0.75, 2, 0.9999999999912, 300], int(X.sum()))
    Z[X == 0] = np.random.default_rng(1).choice([0, 0, 0.5, -1, np.nan], int((X == 0).sum()))
    later = LATER[kind](Z)
    model = small().fit(X, y)
    assert model.booleanizer_ is None
    assert (model.class_sums(later) == model.class_sums(X)).all()
    assert_same_model(small().fit(X, y).partial_fit(later, y), small().fit(X, y).partial_fit(X, y))
    with_later, with_bits = small().fit(X, y, X_val=later, y_val=y), small().fit(X, y, X_val=X, y_val=y)
    assert [e["valid_accuracy"] for e in with_later.history_] == [e["valid_accuracy"] for e in with_bits.history_]


def test_after_0_and_1_neither_text_nor_infinity_is_a_number():
    X, y = three_classes()
    model = small().fit(X, y)
    with pytest.raises(ValueError, match="column 0 held numbers in fit, but now holds the string"):
        model.predict(X.astype(str))
    for convert in (np.asarray, sp.csr_array):
        with pytest.raises(ValueError, match="X_val contains infinity"):
            small().fit(X, y, X_val=convert(np.where(X, np.inf, 0)), y_val=y)


@pytest.mark.parametrize("odd", [2, np.nan])
def test_one_other_value_in_a_table_of_0_and_1_breaks_no_fold(odd):
    X, y = three_classes()
    X = X.astype(np.float64)
    X[7, 3] = odd
    assert np.isfinite(cross_val_score(small(), X, y, cv=4, error_score="raise")).all()


def test_counts_of_words_are_taken_in_every_split():
    once, twice = ["good film", "bad film"] * 20, ["good good film", "bad bad film"]
    pipe = make_pipeline(CountVectorizer(), small(n_epochs=5)).fit(once, [1, 0] * 20)
    assert pipe[-1].booleanizer_ is None
    assert pipe.predict(twice).tolist() == pipe.predict(once[:2]).tolist() == [1, 0]


def test_columns_that_do_not_vary_cost_nothing_where_there_are_very_many(tmp_path):
    """Such as those of words as 0 and 1 by a HashingVectorizer."""
    X, y = three_classes(60)
    wide = sp.lil_array((len(X), (1 << 16) + 1), dtype=np.uint8)
    wide[:, np.arange(X.shape[1]) * 9000] = X
    wide[:, -1] = 1
    wide, narrow = sp.csr_array(wide), small().fit(X, y)
    model = small().fit(wide, y)
    assert_same_model(model, narrow)
    assert_same_model(small().fit(wide.toarray(), y), narrow)
    assert (model.class_sums(wide) == narrow.class_sums(X)).all()
    assert_same_model(small().partial_fit(wide, y, [0, 1, 2]).partial_fit(wide, y), small(n_epochs=2).fit(X, y))
    model.save(tmp_path / "wide")
    assert (tmp_path / "wide").stat().st_size < 100_000
    for factor, bits in ((0.5, X * 0), (0.75, X)):
        assert (model.class_sums(wide * factor) == narrow.class_sums(bits)).all()


def test_columns_that_do_not_vary_stay_where_there_are_fewer():
    X = np.zeros((2, 1 << 16), np.uint8)
    X[0, 0] = 1
    for table in (X, sp.csr_array(X)):
        assert learn_booleanizer("auto", read_table(table), None) is None
    wide = read_table(sp.csr_array((2, 1 << 20)))
    assert learn_booleanizer("strict", wide, None) is None


def test_a_booleanizer_of_ones_own_is_cloned_and_always_fitted():
    X = np.arange(20)[:, None] % 2
    mine = Booleanizer(thresholds=[0.25])
    model = small(booleanizer=mine).fit(X, X[:, 0])
    assert not hasattr(mine, "conditions_")
    assert model.booleanizer_.get_feature_names_out().tolist() == ["x0 > 0.25"]
    with pytest.raises(ValueError, match="n_thresholds"):
        small(booleanizer=Booleanizer(0)).fit(X, X[:, 0])
    assert small(booleanizer=mine).set_params(booleanizer__n_thresholds=3).booleanizer.n_thresholds == 3


def test_the_first_call_decides():
    X, y = mixed()
    whole, parts = learner(n_epochs=2).fit(X, y), learner(n_epochs=1, warm_start=True).fit(X, y)
    assert_same_model(parts.fit(X, y), whole)
    by_parts = learner().partial_fit(X, y, classes=["no", "yes"])
    booleanizer = by_parts.booleanizer_
    shifted = [[row[0] + 1000, "other", *row[2:]] for row in X]
    assert by_parts.partial_fit(shifted, y).booleanizer_ is booleanizer
    assert_same_model(pickle.loads(pickle.dumps(whole)).partial_fit(X, y), learner(n_epochs=3).fit(X, y))


def test_thresholds_come_from_the_training_rows_alone():
    X, y = mixed()
    model = learner(n_epochs=1).fit(X, y, X_val=[[10**6, "unseen", True, 1e9]] * 5, y_val=["no"] * 5)
    assert_same_model(model, learner(n_epochs=1).fit(X, y))
    assert model.booleanizer_.conditions_ == learner(n_epochs=1).fit(X, y).booleanizer_.conditions_


def test_columns_of_one_value_cannot_be_learnt_from():
    with pytest.raises(ValueError, match="no column with two different values"):
        small().fit(np.full((10, 3), 7.5), np.arange(10) % 2)


def test_cross_validation_and_adult(real_data):
    pd = pytest.importorskip("pandas")
    path = real_data("adult") / "adult" / "adult.data.gz"
    frame = pd.read_csv(path, header=None, skipinitialspace=True, na_values="?", nrows=2000)
    X, y = frame.iloc[:, :-1].rename(columns=str), frame.iloc[:, -1]
    scores = cross_val_score(learner(n_epochs=5), X, y, cv=3, error_score="raise")
    assert scores.min() > y.value_counts(normalize=True).max()
