"""What the documentation says of its code, of links and of versions."""

import re
import tomllib
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import typer

import wtm
from tests.helpers.problems import small, three_classes
from tools.page_code import blocks_of
from wtm.cli.app import app

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = [*sorted(ROOT.glob("*.md")), *sorted(DOCS.glob("*.md"))]


def variables(page, *words):
    """The variables that are there after the blocks of a page that have one of the words."""
    scope: dict = {}
    for block in blocks_of(DOCS / page):
        if any(word in block.code for word in words):
            exec(block.code, scope)
    return scope


def test_models_are_compared_as_the_page_on_files_says(tmp_path):
    same_model = variables("model-file.md", "def same_model")["same_model"]
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


def test_shap_explains_as_the_user_guide_says():
    shap = pytest.importorskip("shap", reason="needs shap")
    scope = variables("user-guide.md", "y_train, y_test =", "clf.class_sums(X_test[:2])", "import shap")
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


def headings(page):
    """What links to the headings of a page end in."""
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("path", PAGES, ids=[str(path.relative_to(ROOT)) for path in PAGES])
def test_links_lead_to_files_and_headings(path):
    for link, heading in re.findall(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)", path.read_text("utf-8")):
        target = path.parent / link if link else path
        if "://" not in link:
            assert target.exists(), link
            assert not heading or heading in headings(target), f"{link}#{heading}"


@pytest.mark.parametrize("path", PAGES, ids=[str(path.relative_to(ROOT)) for path in PAGES])
def test_modules_commands_and_options_that_are_named_exist(path):
    code = "\n".join(re.findall(r"```.*?```|`[^`]+`", path.read_text("utf-8"), re.DOTALL))
    for module in re.findall(r"python -m ([a-z_]+(?:\.[a-z_0-9]+)*)", code):
        assert find_spec(module), module
    commands = typer.main.get_command(app).commands
    for line in re.findall(r"^`?wtm ([a-z][^`\n#]*)", code, re.MULTILINE):
        name, *words = line.split()
        those = [commands[name], *getattr(commands[name], "commands", {}).values()]
        known = {option for command in those for parameter in command.params for option in parameter.opts}
        assert {word for word in words if word.startswith("--")} <= known | {"--help"}, line


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
