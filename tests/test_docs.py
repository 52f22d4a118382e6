"""The documentation's code runs."""

import re
from pathlib import Path

import pytest

from tests.helpers.problems import small, three_classes

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"


def run(page):
    """The variables that are there after all blocks of a page."""
    path = DOCS / page
    text = path.read_text("utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(blocks) == text.count("```python") > 0
    scope: dict = {}
    for block in blocks:
        exec(compile(block, str(path), "exec"), scope)
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


@pytest.mark.slow
def test_the_first_example_prints_what_the_readme_says(capsys):
    text = (ROOT / "README.md").read_text("utf-8")
    code, printed = re.search(r"```python\n(.*?)```\n\n```text\n(.*?)```", text, re.DOTALL).groups()
    exec(compile(code, "README.md", "exec"), {})
    assert capsys.readouterr().out == printed
