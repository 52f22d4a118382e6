"""Pages of regressors and fuzzy models, beside the same questions to the models."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import mean_absolute_error, r2_score, root_mean_squared_error

from tests.helpers.tables import mixed_targets
from tests.report_page.test_page import as_json, cells, changed_rows
from tests.report_page.test_page_data import data_of
from wtm import FuzzyWTMClassifier, FuzzyWTMRegressor, WTMRegressor
from wtm.report_page import to_html

STRICT = {"n_clauses": 20, "T": 10, "s": 4, "n_epochs": 6, "average_last": 3, "random_state": 0}
FUZZY = {"n_clauses": 10, "T": 2, "s": 20, "n_epochs": 5, "literal_failures": 3, "max_literals": 6, "random_state": 0}


@pytest.fixture(scope="module")
def data():
    return mixed_targets()


@pytest.fixture(scope="module")
def models(data):
    X, of = data
    return {
        "strict": (WTMRegressor(**STRICT).fit(X, of["number"]), of["number"]),
        "outputs": (WTMRegressor(**STRICT).fit(X, of["numbers"]), of["numbers"]),
        "fuzzy": (FuzzyWTMRegressor(**FUZZY, average_last=2).fit(X, of["number"]), of["number"]),
        "fuzzy labels": (FuzzyWTMClassifier(**FUZZY, gamma=0.05).fit(X, of["labels"]), of["labels"]),
    }


KINDS = ["strict", "outputs", "fuzzy", "fuzzy labels"]


def number_in(text):
    return float(text.replace("−", "-"))


@pytest.mark.parametrize("kind", KINDS)
def test_changed_values_give_what_the_model_gives(kind, models, data, show):
    (model, y), X = models[kind], data[0]
    rows = changed_rows(model, X.where(X.notna(), None).to_numpy(object), X.shape[1])
    page = show(to_html(model, X, y, n_rows=0))
    used = page.run("columns.map((column) => column.position)")
    values = [[None if pd.isna(row[j]) else as_json(row[j]) for j in used] for row in rows]
    found = page.run(f"{json.dumps(values)}.map(classSums)")
    frame = pd.DataFrame(rows, columns=X.columns)
    expected = model.class_sums(frame) if kind == "fuzzy labels" else model.predict(frame).reshape(len(rows), -1)
    assert found == expected.tolist()
    assert len(np.unique(expected, axis=0)) > 10


@pytest.mark.parametrize("kind", ["strict", "outputs", "fuzzy"])
def test_errors_of_numbers_are_those_of_scikit_learn(kind, models, data, show):
    (model, y), X = models[kind], data[0]
    counts = data_of(to_html(model, X, y))["counts"]
    predicted = model.predict(X).reshape(len(X), -1)
    for found, true, guess in zip(counts["outputs"], y.reshape(len(X), -1).T, predicted.T, strict=True):
        expected = root_mean_squared_error(true, guess), mean_absolute_error(true, guess), r2_score(true, guess)
        assert [found["rmse"], found["mae"], found["r2"]] == pytest.approx(expected, rel=1e-3)
        assert found["rmse_of_mean"] == pytest.approx(np.std(true), rel=1e-3)
        np.testing.assert_allclose(found["pairs"], np.stack([true, guess], axis=1), rtol=1e-3)
    page = show(to_html(model, X, y))
    assert page.run("document.querySelectorAll('.scatter').length") == predicted.shape[1]
    assert page.run("document.querySelector('.scatter').querySelectorAll('circle').length") == len(X)
    assert f"R squared {counts['outputs'][0]['r2']:.4g} on 400 rows" in page.run("byId('overview-body').innerText")


def test_a_changed_value_changes_the_number(models, data, show):
    (model, y), X = models["strict"], data[0]
    page = show(to_html(model, X, y))

    def shown():
        return number_in(page.run("document.querySelector('#decision strong').textContent"))

    row = X[:1].copy()
    assert shown() == pytest.approx(model.predict(row)[0], rel=1e-3)
    assert f"True number of the row: {y[0]:.4g}; the model is" in page.run("byId('decision').innerText")
    row.loc[0, "age"] = 20
    page.run("""{
      const place = columns.findIndex((column) => column.name === "age");
      const input = document.querySelector(`[data-column="${place}"] input`);
      input.value = "20";
      input.dispatchEvent(new Event("input"));
    }""")
    assert shown() == pytest.approx(model.predict(row)[0], rel=1e-3)
    assert "Before your changes: " in page.run("byId('decision').innerText")
    (explanation,) = model.explain(row)
    reasons = page.run("byId('reasons').innerText").replace("−", "-")
    assert f"Why {model.predict(row)[0]:.4g}?" in reasons
    assert f"The middle of the range is {explanation.middle[0]:.4g}, and {len(explanation.rules)} rules" in reasons
    assert ("clipped to the end of the range" in reasons) == ("clipped" in str(explanation))
    for rule in explanation.rules[:3]:
        assert f"{rule.vote:+.4g}" in reasons


def test_rules_that_add_are_listed_in_the_order_of_the_model(models, data, show):
    (model, _), X = models["strict"], data[0]
    page, table = show(to_html(model, X)), model.rules(X)
    page.run("byId('rules-more').click()")
    assert cells(page, "conditions") == table.columns["conditions"]
    assert [number_in(text) for text in cells(page, "weight")] == pytest.approx(np.abs(table.adds), rel=1e-3)
    assert cells(page, "side") == ["▲ adds" if a > 0 else "▼ subtracts" for a in table.adds]
    text = page.run("byId('rules').innerText")
    assert "add or subtract most on all rows together come first" in text
    assert "Class" not in text
    assert page.run("byId('rules-class').checkVisibility()") is False


def test_outputs_are_chosen(models, data, show):
    (model, y), X = models["outputs"], data[0]
    page = show(to_html(model, X, y))
    found = page.run("[...document.querySelectorAll('#decision strong')].map((c) => c.textContent)")
    assert list(map(number_in, found)) == pytest.approx(model.predict(X[:1])[0], rel=1e-3)
    choose = "choice.selectedIndex = 1; choice.dispatchEvent(new Event('change'))"
    page.run(f"{{ const choice = document.querySelector('#reasons select'); {choose}; }}")
    assert f"Why {model.predict(X[:1])[0, 1]:.4g}?" in page.run("byId('reasons').innerText").replace("−", "-")
    page.run("byId('rules-class').selectedIndex = 2; byId('rules-class').dispatchEvent(new Event('change'))")
    assert {text.split(" ", 1)[1] for text in cells(page, "side")} == {"adds to output 1", "subtracts from output 1"}


@pytest.mark.parametrize("kind", ["fuzzy", "fuzzy labels"])
def test_cards_say_how_many_conditions_hold(kind, models, data, show):
    (model, y), X = models[kind], data[0]
    page, cards = show(to_html(model, X, y)), [card for card in model.rules(X) if card.max_weight > 0]
    page.run("byId('rules-more').click()")
    for text, card in zip(cells(page, "conditions"), cards, strict=True):
        for line in card.lines:
            assert line in text
        if 0 < card.n_needed < card.n_conditions:
            assert text.startswith(f"at least {card.n_needed} of {card.n_conditions}: ")
    (explanation,) = model.explain(X[:1])
    texts = page.run("[...document.querySelectorAll('.reasons li')].map((c) => c.innerText)")
    for card, n_true in zip(explanation.cards, explanation.n_true, strict=True):
        if kind == "fuzzy" and len(texts) <= 8:  # with more, and of classes, some are not shown
            assert any(f"{n_true - card.n_always} of {card.n_conditions} hold" in text for text in texts)
    assert "✓" in "".join(texts)


@pytest.mark.parametrize("kind", KINDS)
def test_pages_fit_on_a_phone_and_need_no_rows(kind, models, show):
    page = show(to_html(models[kind][0]))
    page.send("Emulation.setDeviceMetricsOverride", width=400, height=800, deviceScaleFactor=1, mobile=False)
    assert page.run("document.documentElement.scrollWidth") <= 400
    page.send("Emulation.clearDeviceMetricsOverride")
    assert page.run("document.querySelector('#decision strong').textContent")
    assert "made up" in page.run("byId('rows').innerText")


def test_a_constant_number_has_no_r_squared(models, data, show):
    (model, _), X = models["strict"], data[0]
    page = show(to_html(model, X, np.full(len(X), 50.0)))
    assert "R squared not defined" in page.run("byId('overview-body').innerText")


def test_wrong_numbers_are_refused(models, data):
    (model, y), X = models["strict"], data[0]
    with pytest.raises(ValueError, match="y must have 1 numbers per row as in fit, got 2"):
        to_html(model, X, np.stack([y, y], axis=1))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        to_html(model, X, y[1:])
    with pytest.raises(ValueError, match="y was passed without X"):
        to_html(model, y=y)
