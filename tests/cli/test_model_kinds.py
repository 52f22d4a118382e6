"""The commands with models of each kind, beside the same calls in Python."""

import json
import re
from itertools import islice

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import mean_absolute_error, r2_score, root_mean_squared_error

from tests.helpers.shell import QUICK, as_csv, column, done, read_csv, refused
from wtm import FuzzyWTMClassifier, FuzzyWTMRegressor, WTMClassifier, WTMRegressor, export, load_model
from wtm.cli.holdout import divide_numbers
from wtm.report_page import to_html

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

N_ROWS = 90
KINDS = {
    WTMClassifier: (),
    WTMRegressor: ("--regression",),
    FuzzyWTMClassifier: ("--fuzzy",),
    FuzzyWTMRegressor: ("--regression", "--fuzzy"),
}
REGRESSORS = (WTMRegressor, FuzzyWTMRegressor)
OTHERS = (WTMRegressor, FuzzyWTMClassifier, FuzzyWTMRegressor)


def flats():
    """Rents by area and balcony, one area of which is missing."""
    rng = np.random.default_rng(0)
    area, balcony = rng.integers(20, 200, N_ROWS), rng.integers(0, 2, N_ROWS)
    rent = 8 * area + 150 * balcony + 0.5
    return {
        "area": ["" if i == 5 else str(a) for i, a in enumerate(area)],
        "balcony": ["yes" if b else "no" for b in balcony],
        "rent": [str(r) for r in rent],
        "dear": ["dear" if r > 900 else "cheap" for r in rent],
    }


def target_of(kind):
    return "rent" if kind in REGRESSORS else "dear"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """flats.csv, and what `wtm train` makes of it for each kind of model: NAME.safetensors and NAME.txt."""
    folder = tmp_path_factory.mktemp("kinds")
    (folder / "flats.csv").write_text(as_csv(flats()), encoding="utf-8")
    for kind, options in KINDS.items():
        drop = "dear" if kind in REGRESSORS else "rent"
        out = ("--out", folder / f"{kind.__name__}.safetensors", "--target", target_of(kind), "--drop", drop)
        result = done("train", folder / "flats.csv", *out, *options, *QUICK)
        (folder / f"{kind.__name__}.txt").write_text(result.stdout, encoding="utf-8")
    return folder


@pytest.fixture
def data(folder):
    return folder / "flats.csv"


@pytest.fixture(params=KINDS, ids=lambda kind: kind.__name__)
def kind(request):
    return request.param


def path_of(folder, kind):
    return folder / f"{kind.__name__}.safetensors"


def frame(folder):
    return pd.read_csv(folder / "flats.csv")[["area", "balcony"]]


def test_each_kind_is_trained_as_in_python(folder, kind):
    model = load_model(path_of(folder, kind))
    assert type(model) is kind
    own, found = kind().get_params(deep=False), model.get_params(deep=False)
    chosen = {"n_clauses", "T", "s", "n_epochs", "random_state", "booleanizer"}
    assert {name: found[name] for name in own.keys() - chosen} == {name: own[name] for name in own.keys() - chosen}
    assert model.target_name_ == target_of(kind)
    n_thresholds = sum(" > " in name for name in model.booleanizer_.get_feature_names_out())
    assert n_thresholds == (30 if kind in REGRESSORS else 10)


@pytest.mark.parametrize("kind", REGRESSORS)
def test_numbers_are_measured_on_rows_held_out(folder, kind):
    model, y = load_model(path_of(folder, kind)), np.array(flats()["rent"], float)
    training, held_out = divide_numbers(N_ROWS, 0.2, 0)
    assert len(held_out) == N_ROWS // 5
    assert sorted([*training, *held_out]) == list(range(N_ROWS))
    same = kind(**model.get_params(deep=False)).fit(frame(folder).take(training), y[training])
    predicted = model.predict(frame(folder))
    assert np.array_equal(same.predict(frame(folder)), predicted)
    summary, *lines, last = (folder / f"{kind.__name__}.txt").read_text("utf-8").splitlines()
    assert f", numbers from {y.min():g} to {y.max():g}, 2 epochs" in summary
    for line, name, rows in zip(lines, ("training", "held-out"), (training, held_out), strict=True):
        error, of_mean = (
            root_mean_squared_error(y[rows], p) for p in (predicted[rows], np.full(len(rows), y[training].mean()))
        )
        assert line == (
            f"RMSE on {len(rows)} {name} rows: {error:.4g} (always predicting the training mean: {of_mean:.4g}), "
            f"R squared: {r2_score(y[rows], predicted[rows]):.4f}"
        )
    assert last.endswith("the model trained on the training rows")


def test_predictions_are_those_of_python(folder, data, kind, tmp_path):
    model, path = load_model(path_of(folder, kind)), path_of(folder, kind)
    predicted = model.predict(frame(folder)).tolist()
    done("predict", path, data, "--out", tmp_path / "p.csv", "--keep", "rent")
    assert column(tmp_path / "p.csv") == list(map(str, predicted))
    assert column(tmp_path / "p.csv", "rent") == flats()["rent"]
    done("predict", path, data, "--out", tmp_path / "p.parquet")
    assert parquet.read_table(tmp_path / "p.parquet")["prediction"].to_pylist() == predicted
    if kind in REGRESSORS:
        line = refused("predict", path, data, "--proba", "--out", tmp_path / "q.csv")
        assert f"holds a {kind.__name__}, which predicts numbers: leave --proba out." in line
    else:
        done("predict", path, data, "--proba", "--out", tmp_path / "q.csv")
        found = np.array(
            [[row[f"probability_{label}"] for label in model.classes_] for row in read_csv(tmp_path / "q.csv")]
        )
        assert np.array_equal(found.astype(float), model.predict_proba(frame(folder)))


@pytest.mark.parametrize("kind", REGRESSORS)
def test_metrics_of_numbers_are_those_of_scikit_learn(folder, data, kind, tmp_path):
    path, y = path_of(folder, kind), np.array(flats()["rent"], float)
    predicted = load_model(path).predict(frame(folder))
    expected = {
        "rows": N_ROWS,
        "rmse": root_mean_squared_error(y, predicted),
        "rmse_of_mean": root_mean_squared_error(y, np.full(N_ROWS, y.mean())),
        "mean_absolute_error": mean_absolute_error(y, predicted),
        "r_squared": r2_score(y, predicted),
    }
    assert json.loads(done("evaluate", path, data, "--out", "-").stdout) == expected
    frame_of_numbers = pd.read_csv(data).astype({"rent": "float32"})
    frame_of_numbers.to_parquet(tmp_path / "flats.parquet")
    assert json.loads(done("evaluate", path, tmp_path / "flats.parquet", "--out", "-").stdout) == expected
    assert done("evaluate", path, data).stdout.splitlines() == [
        f"RMSE on {N_ROWS} rows: {expected['rmse']:.4g} (always predicting their mean: {expected['rmse_of_mean']:.4g})",
        f"mean absolute error: {expected['mean_absolute_error']:.4g}",
        f"R squared: {expected['r_squared']:.4f}",
    ]


def test_r_squared_of_one_row_is_not_defined(folder, write):
    path, row = path_of(folder, WTMRegressor), write("area,balcony,rent\n50,no,400\n")
    assert json.loads(done("evaluate", path, row, "--out", "-").stdout)["r_squared"] is None
    assert "R squared: not defined for one row" in done("evaluate", path, row).stdout


def test_labels_of_fuzzy_rules_are_compared(folder, data):
    clf = load_model(path_of(folder, FuzzyWTMClassifier))
    found = json.loads(done("evaluate", path_of(folder, FuzzyWTMClassifier), data, "--out", "-").stdout)
    assert found["accuracy"] == clf.score(frame(folder), flats()["dear"])


WRONG_TARGETS = [
    ("?", "row 8 of the target 'rent' holds '?', which is not a number. If this stands for a missing value, pass"),
    ("1,5", "row 8 of the target 'rent' holds '1,5', which is not a number. If ',' is the decimal point, pass"),
    ("inf", "row 8 of the target 'rent' holds 'inf', but numbers to predict must lie between -1e+150 and 1e+150"),
    ("-1e151", "row 8 of the target 'rent' holds '-1e151', but numbers to predict must lie"),
    ("NA", f"the target 'rent' is missing in 1 of {N_ROWS} rows, the first in row 8: pass --drop-missing-target"),
]


@pytest.mark.parametrize(("cell", "words"), WRONG_TARGETS)
def test_a_target_that_is_not_a_number_is_refused(folder, write, tmp_path, cell, words):
    table = flats()
    table["rent"][7] = cell
    data, model = write(as_csv(table)), path_of(folder, WTMRegressor)
    train = ("train", data, "--target", "rent", "--regression", "--out", tmp_path / "m", *QUICK)
    for command in (train, ("evaluate", model, data)):
        assert words in refused(*command)
    assert not (tmp_path / "m").exists()
    if cell == "NA":
        found = json.loads(done("evaluate", model, data, "--drop-missing-target", "--out", "-").stdout)
        assert found["rows"] == N_ROWS - 1
        assert f"{N_ROWS - 1} rows" in done(*train, "--drop-missing-target").stdout


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (["1", "2"], "row 1 of the target 'y' holds '1', which is not a number"),
        ([True, False], "row 1 of the target 'y' holds True, which is not a number"),
        ([1.0, float("inf")], "row 2 of the target 'y' holds inf, but numbers to predict"),
        ([1.0, float("nan")], "missing in 20 of 40 rows, the first in row 2"),
    ],
    ids=["text", "booleans", "infinity", "missing"],
)
def test_targets_of_parquet_that_are_not_numbers_are_refused(tmp_path, values, words):
    parquet.write_table(pa.table({"a": [1, 2] * 20, "y": values * 20}), tmp_path / "d.parquet")
    assert words in refused("train", tmp_path / "d.parquet", "--target", "y", "--regression", "--out", tmp_path / "m")


@pytest.mark.parametrize(
    "values", [[1, 2**60], [0.5, 1.5], pa.array([1, 3]).dictionary_encode(), pa.array([1, 2], pa.decimal128(5, 2))]
)
def test_numbers_of_parquet_are_learnt_whatever_their_type(tmp_path, values):
    y = pa.chunked_array([values] * 20)
    parquet.write_table(pa.table({"a": [1, 2] * 20, "y": y}), tmp_path / "d.parquet")
    done("train", tmp_path / "d.parquet", "--target", "y", "--regression", "--out", tmp_path / "m", *QUICK)
    low, high = (float(y[i].as_py()) for i in (0, 1))
    assert load_model(tmp_path / "m").y_range_.tolist() == [[low, high]]


def test_what_is_to_be_predicted_decides_the_kind(data, tmp_path):
    out = ("--out", tmp_path / "m")
    line = refused("train", data, "--target", "dear", "--regression", *out)
    assert "row 1 of the target 'dear' holds" in line
    assert "which is not a number. Leave --regression out" in line
    assert "wtm train --regression" in refused("train", data, "--target", "rent", *out)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--readable", "--regression"), "--readable does not go with --regression"),
        (("--readable", "--fuzzy"), "--readable does not go with --fuzzy"),
        (("--literal-failures", 3), "--literal-failures is for fuzzy rules: pass --fuzzy too."),
        (("--fuzzy", "--literal-failures", 0), "--literal-failures must be at least 1"),
        (("--regression", "--clauses", 1 << 23), "--clauses 8388608 is too large with --regression"),
    ],
)
def test_options_that_do_not_go_together_are_refused(data, tmp_path, options, words):
    command = ("train", data, "--target", "dear", "--out", tmp_path / "m", *options)
    assert words in refused(*command, code=2)


def test_parameters_and_refit_are_those_of_the_options(data, tmp_path):
    options = ("--fuzzy", "--regression", "--literal-failures", 3, "--max-literals", 6, "--drop", "dear", "--refit")
    done("train", data, "--target", "rent", "--out", tmp_path / "m", *QUICK, *options, "--early-stopping")
    reg = load_model(tmp_path / "m")
    asked = {"literal_failures": 3, "max_literals": 6, "early_stopping": True, "n_clauses": 10}
    assert reg.get_params().items() >= asked.items()
    assert reg.y_range_.tolist() == [[min(rents := list(map(float, flats()["rent"]))), max(rents)]]


@pytest.mark.parametrize("share", [0.01, 0.99])
def test_numbers_need_two_rows_on_each_side(data, tmp_path, share):
    command = ("train", data, "--target", "rent", "--regression", "--out", tmp_path / "m", "--holdout", share)
    assert f"--holdout {share} of {N_ROWS} rows leaves fewer than two rows" in refused(*command)


def test_rules_that_add_are_printed_and_counted(folder, data):
    path = path_of(folder, WTMRegressor)
    reg = load_model(path)
    assert done("rules", path, "--per-class", 3).stdout.splitlines() == list(map(str, reg.rules()[:3]))
    table = reg.rules(frame(folder))
    printed = done("rules", path, "--per-class", 3, "--data", data).stdout.splitlines()
    assert printed == [f"{table[i]} [support {table.columns['support'][i]:.1%}]" for i in range(3)]


@pytest.mark.parametrize("kind", [FuzzyWTMClassifier, FuzzyWTMRegressor])
def test_score_cards_are_printed_and_counted(folder, data, kind):
    path = path_of(folder, kind)
    model = load_model(path)
    outputs = [0] if kind in REGRESSORS else model.classes_.tolist()
    for X, options in ((None, ()), (frame(folder), ("--data", data))):
        cards, expected = model.rules(X), []
        for output in outputs:
            for i in islice((i for i, card in enumerate(cards) if card.label == output), 2):
                counted = "" if X is None else f" [support {cards.columns['support'][i]:.1%}]"
                expected += [cards[i].title + counted, *(f"  {line}" for line in cards[i].lines)]
        assert done("rules", path, "--per-class", 2, *options).stdout.splitlines() == expected


@pytest.mark.parametrize("kind", OTHERS)
def test_a_target_is_refused_where_no_precision_is_counted(folder, data, kind):
    line = refused("rules", path_of(folder, kind), "--data", data, "--target", target_of(kind))
    assert f"--target is for the precision of rules, which those of a {kind.__name__} (" in line
    assert "don't have: leave it out." in line


@pytest.mark.parametrize("kind", OTHERS)
def test_rows_are_explained(folder, data, kind):
    path = path_of(folder, kind)
    explanations = load_model(path).explain(frame(folder))
    printed = done("explain", path, data, "--row", 2, "--row", N_ROWS).stdout
    assert printed == f"row 2, {explanations[1]}\nrow {N_ROWS}, {explanations[-1]}\n"
    line = refused("explain", path, data, "--nearest-change")
    assert f"--nearest-change is for a WTMClassifier, and {path} holds a {kind.__name__}: leave it out." in line


@pytest.mark.parametrize("kind", OTHERS)
def test_models_of_each_kind_are_made_smaller(folder, data, kind, tmp_path):
    path, is_regressor = path_of(folder, kind), kind in REGRESSORS
    model, X = load_model(path), frame(folder)
    y = np.array(flats()["rent"], float) if is_regressor else np.array(flats()["dear"])
    loss = "r2" if is_regressor else "accuracy"
    for command, options, reduced in (
        ("prune", ("--rules", 3), lambda: model.prune(X, y, n_rules=3)),
        ("prune", (f"--max-{loss}-loss", 0.1), lambda: model.prune(X, y, **{f"max_{loss}_loss": 0.1})),
        ("refit", ("--C", 0.5, "--penalty", "l2"), lambda: model.refit(X, y, "l2", C=0.5)),
    ):
        printed = done(command, path, data, "--out", tmp_path / "m", "--overwrite", *options).stdout
        expected, written = reduced(), load_model(tmp_path / "m")
        assert np.array_equal(written.predict(X), expected.predict(X))
        assert f"rules: {len(model.rules())} -> {len(expected.rules())}\n" in printed
        scores = model.score(X, y), expected.score(X, y)
        before, after = (f"{score:.4f}" if is_regressor else f"{score:.2%}" for score in scores)
        what = "R squared" if is_regressor else "accuracy"
        assert f"{what} on {N_ROWS} rows: {before} -> {after}\n" in printed
    other = "accuracy" if is_regressor else "r2"
    line = refused("prune", path, data, "--out", tmp_path / "no", f"--max-{other}-loss", 0.1)
    assert f"--max-{other}-loss does not go with a {kind.__name__}: use --max-{loss}-loss." in line


def test_strict_regressors_are_simplified_and_fuzzy_models_are_not(folder, data, tmp_path):
    printed = done("simplify", path_of(folder, WTMRegressor), data, "--out", tmp_path / "m").stdout
    assert f"the same number on 100.00% of {N_ROWS} rows\n" in printed
    for kind in (FuzzyWTMClassifier, FuzzyWTMRegressor):
        line = refused("simplify", path_of(folder, kind), data, "--out", tmp_path / "no")
        assert "holds fuzzy rules, each of whose conditions counts: use wtm prune" in line
    assert not (tmp_path / "no").exists()


@pytest.mark.parametrize("kind", OTHERS)
def test_models_of_each_kind_are_exported(folder, data, kind, tmp_path):
    path, X = path_of(folder, kind), frame(folder)
    printed = done("export", path, "--format", "python", "--out", tmp_path, "--bits", 4, "--data", data).stdout
    model, scope = load_model(path), {}
    source = (tmp_path / "model.py").read_text("utf-8")
    assert source == export.to_python(model, bits=4)
    exec(source, scope)
    rows = [[None if pd.isna(x) else x for x in row] for row in X.to_numpy(object).tolist()]
    found, exact = np.array(list(map(scope["predict"], rows))), model.predict(X)
    if kind in REGRESSORS:
        expected = f"at most {np.abs(found - exact).max():.3g} away from the numbers of exact votes on {N_ROWS} rows"
    else:
        expected = f"the same label as with exact votes on {(found == exact).mean():.2%} of {N_ROWS} rows"
    assert f"{expected} of {data}\n" in printed
    line = refused("export", path, "--format", "verilog", "--out", tmp_path)
    assert f"Verilog can only express a WTMClassifier, got a {kind.__name__}: use to_c" in line


@pytest.mark.parametrize("kind", OTHERS)
def test_reports_are_those_of_python(folder, data, kind, tmp_path):
    model, X = load_model(path_of(folder, kind)), frame(folder)
    y = np.array(flats()["rent"], float) if kind in REGRESSORS else np.array(flats()["dear"])
    done("report", path_of(folder, kind), "--data", data, "--rows", 3, "--out", tmp_path / "m.html")
    assert (tmp_path / "m.html").read_text("ascii") == to_html(model, X, y, n_rows=3)
    renamed = tmp_path / "renamed.csv"
    renamed.write_text(as_csv({"area": flats()["area"], "balcony": flats()["balcony"]}), encoding="utf-8")
    note = done("report", path_of(folder, kind), "--data", renamed, "--out", tmp_path / "n.html").stderr
    assert ("no column with numbers, so no error" if kind in REGRESSORS else "no column with labels") in note


def test_several_outputs_have_a_column_each(folder, data, tmp_path):
    X, y = frame(folder), np.array(flats()["rent"], float)
    reg = WTMRegressor(10, 5, 4, n_epochs=2, random_state=0).fit(X, np.stack([y, -y], axis=1))
    reg.save(tmp_path / "m")
    done("predict", tmp_path / "m", data, "--out", tmp_path / "p.parquet")
    assert np.array_equal(pd.read_parquet(tmp_path / "p.parquet")[["prediction_0", "prediction_1"]], reg.predict(X))
    assert "predicts 2 numbers per row" in refused("evaluate", tmp_path / "m", data, "--target", "rent")
    printed = done("rules", tmp_path / "m", "--per-class", 1).stdout.splitlines()
    assert [line.split()[-1] for line in printed] == ["0", "1"]


@given(st.integers(1, 200), st.floats(0, 1, exclude_min=True, exclude_max=True), st.integers(0, 2**63 - 1))
def test_a_share_of_numbers_is_held_out_or_refused(n_rows, share, seed):
    n_held_out = int(np.ceil(share * n_rows))
    if not 2 <= n_held_out <= n_rows - 2:
        with pytest.raises(ValueError, match=re.escape(f"--holdout {share:g} of {n_rows} rows")):
            divide_numbers(n_rows, share, seed)
        return
    training, held_out = divide_numbers(n_rows, share, seed)
    assert sorted([*training, *held_out]) == list(range(n_rows))
    assert len(held_out) == n_held_out
