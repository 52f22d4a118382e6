"""The documentation's code runs."""

import re
import tomllib
from pathlib import Path

import numpy as np
import pytest

import wtm
from tests.helpers.problems import small, three_classes

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = [*sorted(ROOT.glob("*.md")), *sorted(DOCS.glob("*.md"))]


SEVERAL = ("MultiOutputClassifier", "VotingClassifier", "def shares(")
"""In blocks of the user guide on several labels and several models."""


def blocks_of(page):
    """The blocks of Python code."""
    text = (DOCS / page).read_text("utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(blocks) == text.count("```python") > 0
    return blocks


def run(page, blocks=None):
    """The variables that are there after all blocks of a page, or after the given ones."""
    scope: dict = {}
    for block in blocks_of(page) if blocks is None else blocks:
        exec(compile(block, str(DOCS / page), "exec"), scope)
    return scope


def test_recipes_for_data_run(capsys):
    pytest.importorskip("pandas")
    scope = run("data.md")
    printed = capsys.readouterr().out
    assert "IF " in printed
    for name in ("'age > 27'", "'colour = red'", "'income is missing'", "'member'", "'x0 > 7'"):
        assert name in printed
    assert scope["clf"].score(scope["X"], scope["digits"]) > 0.9


def test_recipes_for_large_data_run(tmp_path, monkeypatch, capsys):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    scope = run("large-data.md")
    names, of_parquet, of_bits = capsys.readouterr().out.rsplit("\n", 3)[:3]
    for name in ("'age > ", "'colour = blue'", "'member'"):
        assert name in names
    assert float(of_parquet) > 0.9
    assert float(of_bits) > 0.9
    assert scope["model"].score(scope["people"][scope["columns"]], scope["people"]["buys"]) == float(of_parquet)
    written = pd.read_csv("predictions.csv")
    assert written["age"].tolist() == scope["people"]["age"].tolist()
    assert (written["prediction"] == written["buys"]).mean() > 0.9
    assert (written["prediction"] == scope["clf"].predict(scope["people"].drop(columns="buys"))).all()


@pytest.mark.slow
def test_searches_of_the_page_on_choosing_run(capsys):
    optuna = pytest.importorskip("optuna")
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    run("choosing.md")
    best, of_study = capsys.readouterr().out.splitlines()
    assert float(best.rpartition(" ")[2]) > 0.5
    assert set(eval(of_study)) == {"n_clauses", "T", "s", "gamma"}


def test_models_are_compared_as_the_page_on_files_says(tmp_path):
    same_model = run("model-file.md")["same_model"]
    X, y = three_classes()
    model = small(n_jobs=1).fit(X, y)
    models = {
        "one": model, "again": model, "threads": small(n_jobs=2, verbose=1).fit(X, y),
        "seed": small(random_state=2).fit(X, y), "longer": small().fit(X, y).partial_fit(X, y),
    }  # fmt: skip
    for name, saved in models.items():
        saved.save(tmp_path / name)
    model.save(tmp_path / "voting", prediction_only=True)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "again").read_bytes()
    assert (tmp_path / "one").read_bytes() != (tmp_path / "threads").read_bytes()
    found = {path.name: same_model(tmp_path / "one", path) for path in tmp_path.iterdir()}
    assert found == {"one": True, "again": True, "threads": True, "seed": False, "longer": False, "voting": False}


def test_the_user_guide_on_regression_and_fuzzy_rules_runs(capsys):
    run("user-guide.md", [block for block in blocks_of("user-guide.md") if "rent[1500:" in block])
    lines = capsys.readouterr().out.splitlines()
    r2, covered, accuracy = (float(line) for line in lines if re.fullmatch(r"[01]\.\d+", line))
    assert r2 > 0.95
    assert 0.8 < covered < 0.99
    assert accuracy > 0.95
    for start in ("3 rules", "predicted ", "IF at least "):
        assert any(line.startswith(start) for line in lines)


def test_the_user_guide_on_images_runs(capsys):
    run("user-guide.md", [block for block in blocks_of("user-guide.md") if "ConvolutionalWTM" in block])
    of_bits, drawn, *picture, share, of_grey = capsys.readouterr().out.splitlines()
    assert min(float(of_bits), float(of_grey)) > 0.9
    assert drawn.startswith("votes ")
    assert picture[0] == picture[-1] == "+-----+"
    assert 0 < float(share) < 1


def test_the_user_guide_on_several_labels_and_models_runs(capsys):
    first, *blocks = blocks_of("user-guide.md")
    run("user-guide.md", [first, *[block for block in blocks if any(word in block for word in SEVERAL)]])
    shape_and_share, rule, of_members, by_shares = capsys.readouterr().out.splitlines()
    *shape, right = re.findall(r"[\d.]+", shape_and_share)
    assert shape == ["200", "2"]
    assert float(right) > 0.98
    assert rule.startswith("IF ")
    *alone, together = map(float, re.findall(r"[\d.]+", of_members))
    assert together > max(alone)
    assert float(by_shares) > max(alone)


def test_the_user_guide_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    others = ("import shap", "rent[1500:]", "rent[1500:1750]", "load_digits", *SEVERAL)  # of other tests
    scope = run("user-guide.md", [block for block in blocks_of("user-guide.md") if not any(o in block for o in others)])
    shapes, epochs, *rules, same, size = capsys.readouterr().out.splitlines()
    assert shapes == "(2, 2) (2, 2)"
    n_epochs, best = map(int, epochs.split())
    assert n_epochs >= best == scope["clf"].best_epoch_
    table, explanation = str(scope["table"]).splitlines(), str(scope["explanation"]).splitlines()
    assert rules[: len(table)] == table
    assert all(rule.startswith("IF ") for rule in rules[len(table) : len(table) + 2])
    rules, importances = rules[:-9], rules[-8:]  # one per column, below a line of names
    assert [line.split()[0] for line in importances] == [f"x{i}" for i in range(8)]
    losses = [float(line.split()[-1]) for line in importances]
    assert min(losses[:2]) > 0.3 > max(losses[2:])
    of_words = str(scope["on_words"]).splitlines()
    assert rules[-len(of_words) :] == of_words
    assert any(line.endswith("good") for line in of_words)
    n_few = 2 + len(str(scope["fewest"].rules()).splitlines()) - 1
    *few, of_texts = rules[-len(of_words) - n_few - 1 : -len(of_words)]
    columns, *explained, change, n_conditions, scores = rules[len(table) + 2 : -len(of_words) - n_few - 1]
    assert columns == str(list(scope["table"].columns))
    assert explained == explanation
    assert " would be predicted with " in change
    assert eval(n_conditions.replace(" ", ">="))
    assert scores == "1.0 1.0"
    n_rules, n_left, accuracy = few[0].split()
    assert int(n_left) < int(n_rules)
    assert float(accuracy) > 0.95
    assert list(wtm.load_model("fewest.safetensors").rules()) == list(scope["fewest"].rules())
    assert few[1] == f"3 rules with {scope['fewest'].rules().n_conditions} conditions"
    assert "NOT (good)" in of_texts
    assert same == "True"
    assert scope["clf"].score(scope["X_test"], scope["y_test"]) == 1
    assert (scope["same"].class_sums(scope["X"]) == scope["clf"].class_sums(scope["X"])).all()
    assert size == str(scope["data"].X_train.shape)
    assert {path.name for path in tmp_path.iterdir()} >= {
        "model.safetensors",
        "small.safetensors",
        "simpler.safetensors",
    }


def test_shap_explains_as_the_user_guide_says(capsys):
    shap = pytest.importorskip("shap", reason="needs shap")
    data, fit, *others = blocks_of("user-guide.md")
    (explain,) = (block for block in others if "import shap" in block)
    scope = run("user-guide.md", [data, fit, explain])
    assert capsys.readouterr().out.endswith("(3, 8, 2)\n")
    clf, X = scope["clf"], scope["X_test"][:3]
    explained = scope["shap_values"].base_values + scope["shap_values"].values.sum(axis=1)
    np.testing.assert_allclose(explained, clf.predict_proba(X))
    with pytest.raises(TypeError, match="not callable"):
        shap.Explainer(clf, X)


def test_shap_explains_frames_with_text_as_the_user_guide_says():
    shap = pytest.importorskip("shap", reason="needs shap")
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"age": [27, 61, 45, 33] * 10, "colour": ["red", "red", "blue", "green"] * 10})
    clf = small().fit(frame, ["no", "yes", "no", "no"] * 10)
    explainer = shap.KernelExplainer(clf.predict_proba, frame[:20])
    explained = explainer.expected_value + explainer.shap_values(frame[:4], silent=True).sum(axis=1)
    np.testing.assert_allclose(explained, clf.predict_proba(frame[:4]))
    with pytest.raises(TypeError, match="'str' and 'str'"):
        shap.Explainer(clf.predict_proba, frame[:20])(frame[:4])


def test_the_page_on_export_runs(capsys):
    for package in ("pandas", "duckdb", "onnx", "onnxruntime"):
        pytest.importorskip(package)
    scope = run("export.md")
    printed = capsys.readouterr().out.splitlines()
    row = scope["people"].iloc[:1].assign(age=None, colour="green", member=True)
    assert printed[1].startswith("the same label as with exact votes on ")
    assert printed[2] == "True"
    assert printed[3] == "yes"
    assert eval(printed[4]) == scope["clf"].class_sums(row)[0].tolist()
    assert printed[5] == f"{scope['source'].n_bytes} bytes of tables"
    assert [name for name in printed[7].split() if name.startswith(("sum", "pred"))] == [
        "sum_no",
        "sum_yes",
        "prediction",
    ]
    assert "True True" in printed
    assert printed[-3] == "True"
    assert printed[-1].endswith("away from the numbers of exact votes on 1,000 rows")
    for name in ("buyers_predict(", "BUYERS_COLUMN_AGE", "BUYERS_COLOUR_RED", "BUYERS_CLASS_YES", "BUYERS_MISSING"):
        assert name in scope["source"].header


@pytest.mark.slow
def test_the_readme_prints_what_it_says(capsys):
    text = (ROOT / "README.md").read_text("utf-8")
    first, second = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    scope: dict = {}
    exec(compile(first, "README.md", "exec"), scope)
    assert capsys.readouterr().out == re.search(r"```text\n(.*?)```", text, re.DOTALL)[1]
    exec(compile(second, "README.md", "exec"), scope)
    assert capsys.readouterr().out.splitlines() == [
        *str(scope["rules"]).splitlines(),
        *str(scope["clf"].explain(scope["data"].X_test, feature_names=scope["data"].feature_names)[0]).splitlines(),
    ]
    assert scope["clf"].predict(scope["data"].X_test[:1]) == ["loss"]


@pytest.mark.parametrize("path", PAGES, ids=[str(path.relative_to(ROOT)) for path in PAGES])
def test_links_lead_to_files(path):
    links = re.findall(r"\]\(([^)#\s]+)[^)]*\)", path.read_text("utf-8"))
    broken = [link for link in links if "://" not in link and not (path.parent / link).exists()]
    assert broken == []


def test_the_changelog_has_each_heading_once_and_in_order():
    order = ["Added", "Changed", "Changes the fitted model", "Deprecated", "Removed", "Fixed", "Security"]
    _, *releases = re.split(r"^## ", (ROOT / "CHANGELOG.md").read_text("utf-8"), flags=re.MULTILINE)
    for release in releases:
        headings = re.findall(r"^### (.+)$", release, re.MULTILINE)
        assert headings == [name for name in order if name in headings]
    names = [release.splitlines()[0].split()[0] for release in releases]
    assert wtm.__version__ in names
    assert len(set(names)) == len(names)


def test_the_readme_works_where_only_its_text_is():
    """On PyPI there are no files next to it."""
    urls = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["urls"]
    text = re.sub(r"```.*?```|`[^`]*`", "", (ROOT / "README.md").read_text("utf-8"), flags=re.DOTALL)
    defined = dict(re.findall(r"^\[(.+)\]: (\S+)$", text, re.MULTILINE))
    used = re.findall(r"\]\[(.+?)\]", text) + re.findall(r"(?<!\])\[([^\]]+)\](?![\[(:])", text)
    assert set(used) == set(defined)
    links = [*defined.values(), *re.findall(r"\]\((.+?)\)", text)]
    assert [link for link in links if not link.startswith("https://")] == []
    here = [
        link.removeprefix(f"{urls['Repository']}/blob/main/") for link in links if link.startswith(urls["Repository"])
    ]
    assert [path for path in here if not (ROOT / path).is_file()] == []
    assert len(here) >= 10
    assert all(url.startswith(urls["Repository"]) for url in urls.values())
