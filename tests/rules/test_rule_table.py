"""The rules of a model add up to its class sums, and are counted as NumPy counts them."""

import html.parser
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.exceptions import NotFittedError

from tests.helpers.export_cases import HOSTILE_NAMES
from tests.helpers.problems import small, three_classes, xor
from tests.helpers.tables import mixed_frame
from wtm import Booleanizer, WTMClassifier
from wtm.rules import Rule, parse_rule, rules_of
from wtm.rules.merging import Clauses


@pytest.fixture(scope="module")
def new_rows():
    """Rows with values that were not seen in training."""
    frame, y = mixed_frame(600, seed=1)
    frame.loc[::7, "home AND away"] = "new"
    frame["age"] = frame["age"].astype(float)
    frame.loc[::11, "age"] = np.nan
    return frame, y


def sums_of(rules, X, classes):
    """Votes of rules for rows, by class."""
    sums = np.zeros((len(X), len(classes)))
    for rule in rules:
        sums[:, list(classes).index(rule.label)] += rule.vote * rule.holds(X)
    return sums


def test_rules_read_back_from_their_text_give_the_class_sums(three, new_rows):
    X, _ = new_rows
    rules = [parse_rule(f"{rule:.17g}") for rule in three.rules()]
    assert rules == list(three.rules())
    assert (sums_of(rules, X, three.classes_) == three.class_sums(X)).all()
    assert any(" < age <= " in str(rule) for rule in rules)


def test_the_rules_of_two_classes_are_shown_from_the_second(two, new_rows):
    X, _ = new_rows
    table = two.rules()
    assert table.is_one_sided
    assert {rule.label for rule in table} == {True}
    assert (sums_of(table, X, two.classes_)[:, 1] == two.decision_function(X)).all()
    from_both = two.rules(one_sided=False)
    assert not from_both.is_one_sided
    assert {rule.label for rule in from_both} == {False, True}
    assert (sums_of(from_both, X, two.classes_) == two.class_sums(X)).all()


def test_there_are_fewer_rules_and_conditions_than_clauses_and_literals(three):
    table, clauses = three.rules(), rules_of(three)
    assert 0 < len(table) <= len(clauses)
    assert table.n_conditions < sum(len(rule.conditions) for rule in clauses)
    assert len({(rule.label, rule.conditions) for rule in table}) == len(table)


@pytest.mark.parametrize("one_sided", [True, False])
@pytest.mark.parametrize("model", ["two", "three"])
def test_statistics_are_those_of_numpy(model, one_sided, request, new_rows):
    clf = request.getfixturevalue(model)
    X, y = new_rows
    y = y == "yes" if model == "two" else y
    table = clf.rules(X, y, one_sided=one_sided)
    holds = np.stack([rule.holds(X) for rule in table], axis=1)
    columns, votes = table.columns, np.array([rule.vote for rule in table])
    agrees = np.stack([(y == rule.label) == (rule.polarity > 0) for rule in table], axis=1)
    np.testing.assert_array_equal(columns["support"], holds.mean(axis=0))
    with np.errstate(invalid="ignore"):
        precision = (holds & agrees).sum(axis=0) / holds.sum(axis=0)
        np.testing.assert_array_equal(columns["precision"], precision)
        np.testing.assert_allclose(columns["lift"], precision / agrees.mean(axis=0))
    cast = np.abs(votes) * holds.sum(axis=0)
    np.testing.assert_allclose(columns["vote_share"], cast / cast.sum())
    sums = sums_of(table, X, clf.classes_)
    places = [list(clf.classes_).index(rule.label) for rule in table]
    decides = []
    for j, place in enumerate(places):
        without = sums.copy()
        without[:, place] -= votes[j] * holds[:, j]
        decides.append(np.mean(without.argmax(axis=1) != sums.argmax(axis=1)))
    np.testing.assert_array_equal(columns["decides"], decides)
    assert np.any(decides)
    is_class = sums.argmax(axis=1)[:, np.newaxis] == places
    inside = (holds & is_class).sum(axis=0) / is_class.sum(axis=0)
    outside = (holds & ~is_class).sum(axis=0) / (~is_class).sum(axis=0)
    np.testing.assert_allclose(columns["separation"], np.abs(votes * (inside - outside)))
    order = list(zip(columns["separation"], columns["weight"], strict=True))
    assert order == sorted(order, reverse=True)
    assert set(clf.rules(X, one_sided=one_sided)) == set(table)
    assert "precision" not in clf.rules(X).columns
    assert (clf.set_params(n_jobs=2).rules(X, y, one_sided=one_sided).columns["decides"] == decides).all()


def test_counts_do_not_depend_on_the_size_of_the_parts(three, new_rows, monkeypatch):
    X, y = pd.concat([new_rows[0]] * 3), np.tile(new_rows[1], 3)
    whole = three.rules(X, y)
    monkeypatch.setattr("wtm.estimator._BYTES_PER_PART", 1)
    for name, values in three.rules(X, y).columns.items():
        np.testing.assert_array_equal(values, whole.columns[name])


def test_ties_go_to_the_first_class():
    X, y = three_classes()
    clf = small(gamma=0, n_clauses=4).fit(X, y)  # whole votes, so ties are common
    table = clf.rules(X, y)
    holds = np.stack([rule.holds(X) for rule in table], axis=1)
    sums = clf.class_sums(X)
    assert (np.sort(sums, axis=1)[:, -1] == np.sort(sums, axis=1)[:, -2]).any()
    for j, rule in enumerate(table):
        without = sums.copy()
        without[:, rule.label] -= rule.vote * holds[:, j]
        assert table.columns["decides"][j] == np.mean(without.argmax(axis=1) != sums.argmax(axis=1))


def test_a_rule_that_nearly_always_holds_comes_after_one_that_separates(monkeypatch):
    X = np.random.default_rng(0).integers(0, 2, (1000, 3))
    clf = small().fit(X, X[:, 0])
    X[:, 1] = np.arange(1000) > 3
    one_condition_each = Clauses(np.ones(3, np.int64), np.array([900, 30, -20]), np.arange(4), np.array([1, 0, 3]))
    monkeypatch.setattr("wtm.rules.rule_based.clauses_of", lambda voting: one_condition_each)
    columns = clf.rules(X, X[:, 0], feature_names=["signal", "constant", "noise"]).columns
    assert columns["conditions"] == ["signal", "NOT (signal)", "constant"]
    unit = columns["weight"][2] / 900
    rows_without = X[X[:, 1] == 0, 0]  # of these, some are predicted as 0 and some as 1
    share = abs(rows_without.sum() / X[:, 0].sum() - (1 - rows_without).sum() / (1 - X[:, 0]).sum())
    np.testing.assert_allclose(columns["separation"], [30 * unit, 20 * unit, 900 * unit * share])


def test_nothing_is_separated_where_all_rows_are_predicted_alike(two, new_rows):
    row = new_rows[0].iloc[1:2]
    columns = two.rules(row).columns
    assert not columns["separation"].any()
    assert columns["weight"].tolist() == sorted(columns["weight"], reverse=True)


def test_without_data_rules_are_ordered_by_weight(three):
    table = three.rules()
    weights = table.columns["weight"].tolist()
    assert weights == sorted(weights, reverse=True)
    assert list(table.columns) == ["class", "side", "weight", "conditions", "length"]
    assert (table.votes * table.unit).tolist() == [rule.vote for rule in table]


def test_a_table_is_a_sequence_of_rules(three, new_rows):
    table = three.rules(*new_rows)
    assert isinstance(table[0], Rule)
    assert table[-1] == list(table)[-1]
    assert list(table[2:5]) == list(table)[2:5]
    assert list(table[table.columns["side"] == np.array("for")]) == [r for r in table if r.polarity > 0]
    assert list(table[[1, 0]]) == [table[1], table[0]]
    assert table[1:3].columns["support"].tolist() == table.columns["support"][1:3].tolist()
    with pytest.raises(IndexError):
        table[len(table)]


def test_frames_have_a_row_per_rule(three, new_rows):
    table = three.rules(*new_rows)
    for frame in (table.to_pandas(), table.to_polars()):
        assert len(frame) == len(table)
        assert list(frame.columns) == list(table.columns)
        assert frame["conditions"].to_list() == [" AND ".join(rule.literals) for rule in table]
    assert isinstance(table.to_pandas(), pd.DataFrame)
    assert isinstance(table.to_polars(), pl.DataFrame)


def test_print_shows_the_first_rules(three, new_rows):
    table = three.rules(*new_rows)
    lines = str(table).splitlines()
    assert lines[0] == f"{len(table)} rules with {table.n_conditions} conditions"
    assert lines[1].split() == [n for n in table.columns if n != "conditions"] + ["conditions"]
    assert lines[-1] == f"... and {len(table) - 20} more"
    assert len(lines) == 23
    assert repr(table) == str(table)
    assert str(table[:2]).count("\n") == 3
    assert str(table[:1]).startswith("1 rule with ")
    for nothing in (table[:0], table[[]], table[table.votes == 0]):
        assert str(nothing) == "No rules: none is selected."


def test_tables_and_explanations_are_compared_by_identity(three, new_rows):
    for make in (three.rules, lambda: three.explain(new_rows[0][:1])[0]):
        one, other = make(), make()
        assert one == one
        assert one != other
        assert len({one, other}) == 2
    assert list(three.rules()) == list(three.rules())


def test_feature_names_must_differ(three):
    n_columns = three.n_features_in_
    for names in (["a"] * n_columns, [1, "1", *range(2, n_columns)]):
        for read in (three.rules, lambda **named: three.explain([], **named), lambda **named: rules_of(three, **named)):
            with pytest.raises(
                ValueError, match=r"feature_names must differ, but '(a|1)' occurs more than once\. Rename"
            ):
                read(feature_names=names)


def test_a_model_without_any_rule_says_so():
    X, y = xor()
    clf = small().fit(X, y)
    for machine in clf.machines_:
        machine.include_bits[:] = 0
    clf._voting = None
    for table in (clf.rules(), clf.rules(X, y), clf.rules(one_sided=False)):
        assert len(table) == table.n_conditions == 0
        assert str(table) == "No rules: a model has none if all its clauses are empty or can't be true."
        assert "No rules" in table._repr_html_()
        assert list(table) == []
        assert len(table.to_pandas()) == len(table.to_polars()) == 0
    assert (clf.predict(X) == 0).all()


HARMFUL = ["<script>alert(1)</script>", "a | b", "$x$ & `y` \\", "' OR 1=1; --", "%_{}~^#", *HOSTILE_NAMES]


@pytest.fixture(scope="module")
def harmful():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (300, len(HARMFUL)))
    labels = np.array(["<i>no</i>", "yes | \n", "$"])
    return WTMClassifier(40, 12, 4, n_epochs=3, random_state=0).fit(X, labels[X.sum(axis=1) % 3])


class Cells(html.parser.HTMLParser):
    """The text of the cells of HTML, and the tags in it."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.tags = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_data(self, data):
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += data


def test_html_holds_names_as_text(harmful):
    table = harmful.rules(feature_names=HARMFUL)
    cells = Cells(table.to_html())
    assert cells.tags == {"table", "thead", "tbody", "tr", "th", "td"}
    assert [row[-1].strip() for row in cells.rows[1:]] == table.columns["conditions"]
    assert Cells(table._repr_html_()).tags == cells.tags | {"p"}


def test_rules_of_any_names_are_lines_that_read_back(harmful):
    table = harmful.rules(feature_names=HARMFUL)
    assert {condition.column for rule in table for condition in rule.conditions} == set(HARMFUL)
    for text in (str(table), repr(table)):
        assert len(text.splitlines()) == 2 + 20 + 1
        assert text.encode()
    for rule in table:
        text = f"{rule:.17g}"
        assert text.splitlines() == [text]
        assert parse_rule(text) == rule


def test_explanations_of_any_names_are_lines_and_text(harmful):
    explanation = harmful.explain(np.zeros((1, len(HARMFUL)), int), feature_names=HARMFUL)[0]
    lines = str(explanation).splitlines()
    assert len([line for line in lines if not line.startswith("  ")]) == 1 + len(harmful.classes_)
    assert max(map(len, lines)) < 15 + 100 * max(len(rule.conditions) for rule in explanation.rules) * 2
    for text in (str(explanation), repr(explanation), str(explanation.nearest_change(max_tries=10))):
        assert text.encode()
    assert len(str(explanation.nearest_change(max_tries=10)).splitlines()) == 1
    assert Cells(explanation._repr_html_()).tags == {"table", "thead", "tbody", "tr", "th", "td"}


def test_markdown_and_latex_hold_names_as_text(harmful):
    table = harmful.rules(feature_names=HARMFUL)
    lines = table.to_markdown().splitlines()
    assert len(lines) == len(table) + 2
    for line, conditions in zip(lines[2:], table.columns["conditions"], strict=True):
        cells = re.split(r"(?<!\\)\|", line.replace("\\\\", "\0"))
        assert len(cells) == 7
        assert re.sub(r"\\(.)", r"\1", cells[-2].strip()).replace("\0", "\\") == conditions
    latex = table.to_latex().splitlines()
    assert len(latex) == len(table) + 6
    for line in latex[4:-2]:
        assert len(re.findall(r"(?<!\\)&", line.replace(r"\\", ""))) == 4
        assert not re.search(r"(?<!\\)[$#%_]|[<>|~^]", line.replace(r"\\", ""))


def test_names_are_those_of_fit_or_of_the_caller():
    X, y = xor()
    clf = small().fit(X, y)
    assert {c.column for rule in clf.rules() for c in rule.conditions} <= {f"x{i}" for i in range(7)}
    assert {c.column for rule in clf.rules(feature_names=list("abcdefg")) for c in rule.conditions} <= set("abcdefg")
    with pytest.raises(ValueError, match="feature_names must name each of the model's 7 features, got 2"):
        clf.rules(feature_names=["a", "b"])


def test_errors_say_what_is_wrong(three, new_rows):
    X, y = new_rows
    with pytest.raises(NotFittedError):
        WTMClassifier().rules()
    with pytest.raises(ValueError, match="y was passed without X"):
        three.rules(y=y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        three.rules(X, y[:-1])
    with pytest.raises(ValueError, match="y"):
        three.rules(X, np.where(y == "no", "new", y))
    with pytest.raises(ValueError, match="feature names"):
        three.rules(X[["age"]], y)


def test_thresholds_are_merged_into_intervals():
    X = np.arange(400.0).reshape(-1, 1) % 40
    y = (X[:, 0] > 9.5) & (X[:, 0] < 25)
    clf = WTMClassifier(20, 8, 4, n_epochs=10, booleanizer=Booleanizer(20), random_state=0).fit(X, y)
    table = clf.rules(X, y)
    assert (table.columns["length"] == 1).all()
    assert any(0 < r.conditions[0].low < r.conditions[0].high < 40 for r in table)
    assert (sums_of(table, X, [False, True])[:, 1] == clf.decision_function(X)).all()
