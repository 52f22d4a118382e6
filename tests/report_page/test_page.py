"""The page in a browser, beside the same questions to the classifier."""

import json

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix

from tests.helpers.export_cases import CASES, HOSTILE_NAMES, Case, table, wide
from tests.helpers.problems import small
from tests.helpers.tables import mixed_frame, mixed_model
from wtm import Booleanizer
from wtm.export import from_json, to_json
from wtm.report_page import to_html

N_CHANGES = 200


def changed_rows(clf, X, n_columns):
    """Rows of which some values are replaced, by others of the column, missing values and new ones."""
    rng = np.random.default_rng(0)
    rows = (X.toarray() if hasattr(X, "toarray") else np.asarray(X)).astype(object)
    rows = rows[rng.integers(0, len(rows), N_CHANGES)]
    conditions = None if clf.booleanizer_ is None else clf.booleanizer_.conditions_
    for row in rows:
        for column in rng.integers(0, n_columns, 4):
            of_column = None if conditions is None else conditions[int(column)]
            known = [0, 1] if of_column is None else getattr(of_column, "values", None)
            if known is None:
                threshold = of_column.thresholds[rng.integers(len(of_column.thresholds))]
                known = [threshold, np.nextafter(threshold, np.inf), threshold - 1, 1e300, -0.1]
            elif of_column is not None and True in of_column.are_text:
                known = [*known, "never seen"]
            row[column] = [*known, None][rng.integers(len(known) + 1)]
    return rows


def as_json(value):
    return value if value is None or isinstance(value, str) else float(value)


def large_votes():
    """Votes that float64 can't hold."""
    case = table()
    state = json.loads(to_json(case.clf))
    for i, rule in enumerate(state["rules"]):
        rule["vote"] = (-1 if rule["vote"] < 0 else 1) * ((1 << 55) + 2 * i + 1)
    return Case(from_json(json.dumps(state)), case.X, case.rows)


@pytest.mark.parametrize("case", [*CASES.values(), wide, large_votes], ids=[*CASES, "wide", "large votes"])
def test_changed_values_give_the_class_sums_of_the_classifier(case, show):
    case = case()
    clf, n_columns = case.clf, case.clf.n_features_in_
    rows = changed_rows(clf, case.X[:50], n_columns)
    page = show(to_html(clf, case.X[:50], n_rows=0))
    used = page.run("columns.map((column) => column.position)")
    found = page.run(f"{json.dumps([[as_json(row[j]) for j in used] for row in rows])}.map(classSums)")
    expected = clf.decision_function(rows.astype(float) if clf.booleanizer_ is None else rows)
    expected = expected.reshape(len(rows), -1)  # of two classes, the second minus the first
    assert found == expected.tolist()
    assert len(np.unique(expected, axis=0)) > 10 or not used


@pytest.fixture
def mixed(show):
    clf, (X, y) = mixed_model(), mixed_frame()
    return show(to_html(clf, X, y)), clf, X, y


def cells(page, name):
    return page.run(f"[...document.querySelectorAll('#rules-table td.{name}')].map((cell) => cell.textContent)")


def test_rules_are_searched_and_sorted(mixed):
    page, clf, X, y = mixed
    rules = clf.rules(X, y, one_sided=False)
    assert cells(page, "conditions") == rules.columns["conditions"][:15]
    assert page.run("byId('rules-more').textContent") == f"Show {len(rules) - 15} more rules"
    page.run("byId('rules-more').click()")
    assert cells(page, "conditions") == rules.columns["conditions"]
    assert "most come first" in page.run("byId('rules').textContent")
    page.run("document.querySelector('[data-key=weight] button').focus()")
    page.press("Enter")
    assert "come first" not in page.run("byId('rules').textContent")
    weights = [float(text) for text in cells(page, "weight")]
    assert weights == sorted(weights, reverse=True)
    assert page.run("document.activeElement.closest('th').ariaSort") == "descending"
    page.press("Enter")
    assert cells(page, "weight")[::-1] != cells(page, "weight") == [f"{w:.4g}" for w in sorted(rules.columns["weight"])]
    page.run("byId('rules-search').value = ' != RED  and'; byId('rules-search').focus()")
    for key in " Mem":
        page.press(key)
    texts = cells(page, "conditions")
    assert sorted(texts) == sorted(text for text in rules.columns["conditions"] if "!= red AND mem" in text)
    assert texts
    assert page.run("byId('rules-found').textContent") == f"{len(texts)} of {len(rules)} rules"
    page.run("byId('rules-class').selectedIndex = 2; byId('rules-class').dispatchEvent(new Event('change'))")
    assert set(cells(page, "side")) <= {"▲ for no", "▼ against no"}


def test_two_classes_are_shown_from_one_side_as_the_command_shows_them(show):
    clf, (X, y) = mixed_model(2, n_clauses=120), mixed_frame()
    page = show(to_html(clf, X, y == "yes", n_rows=4))
    rules = clf.rules(X, y == "yes")
    assert len(rules) > 100
    page.run("byId('rules-more').click()")
    assert cells(page, "conditions") == rules.columns["conditions"]
    assert cells(page, "side") == [f"{'▲' if side == 'for' else '▼'} {side} True" for side in rules.columns["side"]]
    decides = [float(text.removesuffix(" %")) for text in cells(page, "decides")]
    assert decides == pytest.approx((100 * rules.columns["decides"]).tolist(), abs=0.06)
    assert not page.run("byId('rules-class').checkVisibility()")
    assert "are hard to read as a whole. refit, prune and simplify" in page.run("byId('overview-body').textContent")
    for row, value in enumerate(clf.decision_function(X.iloc[[0, 133, 266, 399]])):
        assert page.run("document.querySelector('#decision strong').textContent") == str(value > 0)
        sums = page.run("[...document.querySelectorAll('#decision .sums td')].map((cell) => cell.textContent)")
        assert float(sums[0].replace("−", "-")) == pytest.approx(value, rel=1e-3)
        assert len(sums) == 2
        reason = f"is {abs(value):.4g} {'above' if value > 0 else 'below'} 0. Rules {'for' if value > 0 else 'against'}"
        assert f"{reason} True add to this lead" in page.run("byId('reasons').textContent"), row
        page.run("byId('row-next').click()")


def test_a_changed_value_changes_the_decision(mixed):
    page, clf, X, _ = mixed
    row = X[:1].copy()

    def decision():
        return page.run("document.querySelector('#decision strong').textContent")

    assert decision() == clf.predict(row)[0]
    row.loc[0, "age"], row.loc[0, "home AND away"] = 88, "red"
    page.run("""for (const [name, value] of [["age", "88"], ["home AND away", "red"]]) {
      const place = columns.findIndex((column) => column.name === name);
      const control = document.querySelector(`[data-column="${place}"] input, [data-column="${place}"] select`);
      control.value = value;
      control.dispatchEvent(new Event(control.tagName === "INPUT" ? "input" : "change"));
    }""")
    assert decision() == clf.predict(row)[0] != clf.predict(X[:1])[0]
    assert "Before your changes" in page.run("byId('decision').textContent")
    assert page.run("document.querySelectorAll('#values .changed').length") == 2
    speaking = page.run("byId('reasons').textContent")
    (explanation,) = clf.explain(row)
    assert max(explanation.rules, key=lambda rule: rule.weight).literals[0] in speaking
    page.run("byId('row-reset').click()")
    assert decision() == clf.predict(X[:1])[0]


def test_the_nearest_change_is_made(mixed):
    page = mixed[0]
    for _ in range(5):
        before = page.run("document.querySelector('#decision strong').textContent")
        offered = page.run("byId('decision').textContent")
        page.run("document.querySelector('#decision button').click()")
        after = page.run("document.querySelector('#decision strong').textContent")
        assert after != before
        assert f"Nearest change: {after} would be predicted" in offered
        assert "Nearest change" not in page.run("byId('decision').textContent")
        page.run("byId('row-next').click()")


def test_bars_have_one_scale(mixed):
    page = mixed[0]

    def widths(bars):
        return page.run(f"[...document.querySelectorAll('{bars} .fill')].map((fill) => parseFloat(fill.style.width))")

    for name in ("support", "precision", "decides"):
        shares = [float(text.removesuffix(" %").replace("–", "0")) for text in cells(page, name)]
        assert widths(f"td.{name}") == pytest.approx(shares, abs=0.06)
    page.run(
        "for (let i = 0; i < 30 && !byId('reasons').innerText.includes('Speak against'); i++) byId('row-next').click()"
    )
    texts = page.run("[...document.querySelectorAll('#reasons .number')].map((number) => number.textContent)")
    effects = np.array([float(text.replace("−", "-")) for text in texts])
    assert effects.min() < 0 < effects.max()
    assert widths("#reasons") == pytest.approx(100 * np.abs(effects) / np.abs(effects).max(), rel=1e-2)


def test_without_rows_nothing_is_claimed_of_votes_and_data_that_are_not_there(show):
    X = np.array([[0, 0], [1, 1]] * 30)
    state = json.loads(to_json(small(n_clauses=4, T=2).fit(X, X[:, 0])))
    state["rules"] = [rule for rule in state["rules"] if not rule["false"]]  # none holds for the row that is made up
    page = show(to_html(from_json(json.dumps(state))))
    reasons = page.run("byId('reasons').textContent")
    assert reasons == "Why 0 and not 1?The sum of votes is 0, and 1 is predicted only if it is above 0."
    assert page.run("byId('rules-order').textContent") == "Rules of the largest weight come first."
    assert not page.run("byId('overview').checkVisibility()")
    assert "Overview" not in page.run("document.querySelector('nav').innerText")


def test_without_rules_no_value_is_said_to_matter(show):
    state = json.loads(to_json(mixed_model()))
    state["rules"] = []
    page = show(to_html(from_json(json.dumps(state))))
    assert page.run("byId('rows-intro').textContent").startswith("No rule has a condition, so no value changes the")
    assert "The sums are equal, and of classes with equal sums the first" in page.run("byId('reasons').textContent")
    assert not page.run("byId('columns').checkVisibility()")


def test_pixels_are_turned_on(show):
    X = np.random.default_rng(0).integers(0, 2, (60, 9))
    clf = small(n_clauses=10).fit(X, X[:, 4])
    page = show(to_html(clf, X, image_shape=(3, 3)))
    assert page.run("document.querySelectorAll('#images canvas').length") == 1  # of the second class
    page.run("byId('row-image').scrollIntoView()")
    x, y = page.run("(() => { const b = byId('row-image').getBoundingClientRect();"
                    " return [b.x + b.width / 2, b.y + b.height / 2]; })()")  # fmt: skip
    for kind in ("mousePressed", "mouseReleased"):
        page.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
    row = X[:1].copy()
    row[0, 4] = 1 - row[0, 4]
    assert page.run("document.querySelector('#decision strong').textContent") == str(clf.predict(row)[0])


def test_hostile_names_are_text(show):
    names = [*HOSTILE_NAMES, "<img src=x onerror=window.hacked=1>", "{{script}}"]
    values = ["</script><script>window.hacked=1</script>", "'\"><img src=x onerror=window.hacked=1>", "b" * 10_000]
    rng = np.random.default_rng(0)
    X = np.array(values, object)[rng.integers(0, 3, (300, len(names)))]
    y = np.array(["<b>no</b>", "javascript:alert(1)", "\u202e\u2028" + "c" * 10_000])[rng.integers(0, 3, 300)]
    clf = small(n_clauses=40, T=5, s=20, booleanizer=Booleanizer()).fit(X, y)
    page = show(to_html(clf, X, y, feature_names=names, n_rows=2))
    page.run("byId('columns-more').click(); byId('rules-more').click(); byId('values-more').click()")
    assert json.loads(page.run("JSON.stringify(columns.map((column) => column.name))")) == names
    assert page.run("window.hacked === undefined && document.querySelectorAll('img, b, script:not([id])').length") == 1
    page.send("Emulation.setDeviceMetricsOverride", width=390, height=800, deviceScaleFactor=1, mobile=False)
    assert page.run("document.documentElement.scrollWidth") <= 390
    page.send("Emulation.clearDeviceMetricsOverride")


def test_the_page_follows_the_colour_scheme(mixed):
    page = mixed[0]
    grounds = []
    for scheme in ("light", "dark"):
        page.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        grounds.append(page.run("getComputedStyle(document.body).backgroundColor"))
    assert grounds == ["rgb(255, 255, 255)", "rgb(20, 25, 31)"]
    assert page.run("[...document.querySelectorAll('input, select')].every((c) => c.labels.length || c.ariaLabel)")


def test_many_classes_are_shown_in_part(show):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (500, 8))
    y = X @ (1 << np.arange(8)) % 25
    clf = small(n_clauses=10, T=4, n_epochs=2).fit(X, y)
    page = show(to_html(clf, X, y, n_rows=1))
    sums = clf.class_sums(X[:1])[0]
    found = page.run("[...document.querySelectorAll('.sums mark, .sums th[scope=row]')].map((c) => c.textContent)")
    assert len(found) == 11  # ten classes, and the predicted one again
    assert found[0] == found[1] == str(clf.classes_[sums.argmax()])
    assert "and 15 classes with smaller sums" in page.run("byId('decision').textContent")
    confusion = confusion_matrix(y, clf.predict(X))
    np.fill_diagonal(confusion, 0)
    counts = page.run("[...document.querySelectorAll('h3 + .scroll tr > :last-child')].map((c) => c.textContent)")
    assert counts == ["Rows", *(f"{n}" for n in sorted(confusion.ravel().tolist(), reverse=True)[:20])]
