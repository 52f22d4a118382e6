"""Files of results that were edited or half copied are named, whatever is wrong with them."""

import copy
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.synthetic import keep, made_up_record, write_sampling, write_vanilla, write_variants
from wtm.paper.report import write_report
from wtm.paper.settings import WEIGHTS

FILES = {
    "record": "mnist/wtm-4000-p0.08-gamma0.01-T100-seed0.json",
    "vanilla": "vanilla/tree-seed0.json",
    "variant": "variants/program-seed0.json",
    "sampling": "sampling/sampling.json",
}
WRONG = [None, "", "x", -1, 1.5, 10**400, True, [], ["x"], [None], {}, {"x": 1}, [0.5, float("nan")]]


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    keep(folder, made_up_record(WEIGHTS.setting, [97.0, 98.0, 98.5], key="mnist"))
    write_vanilla(folder, ["tree"])
    write_variants(folder, ["program", "file-order"])
    write_sampling(folder)
    return folder


@pytest.fixture(autouse=True)
def no_files_of_figures(monkeypatch):
    """Figures are drawn, but not written, which takes most of the time."""
    from matplotlib.figure import Figure

    monkeypatch.setattr(Figure, "savefig", lambda *arguments, **options: None)


def spoil(content, data):
    """Replace or remove an entry, at any depth."""
    spoiled = at = copy.deepcopy(content)
    while True:
        key = data.draw(st.sampled_from(sorted(at) if isinstance(at, dict) else range(len(at))))
        inner = at[key]
        if not (isinstance(inner, dict | list) and inner and data.draw(st.booleans())):
            break
        at = inner
    if data.draw(st.booleans()):
        del at[key]
    else:
        at[key] = data.draw(st.sampled_from(WRONG))
    return spoiled


@pytest.mark.parametrize("kind", FILES)
@given(data=st.data())
@settings(deadline=None, max_examples=60)
def test_a_spoiled_file_is_named_or_does_no_harm(kind, results, tmp_path_factory, data):
    path = results / FILES[kind]
    before = path.read_text()
    out = tmp_path_factory.mktemp("report")
    path.write_text(json.dumps(spoil(json.loads(before), data)))
    try:
        error = error_of(results, out)
    finally:
        path.write_text(before)
    if error is None:
        text = (out / "paper.md").read_text()
        assert "nan" not in text
        assert "None" not in text
    else:
        assert path.name in error or "quick results beside others" in error
        assert not (out / "paper.md").exists()


def error_of(results, out):
    try:
        write_report(results, out)
    except ValueError as error:
        return str(error)
    return None


@pytest.mark.parametrize("name", FILES.values())
@pytest.mark.parametrize("content", ["", "{", "[]", "7", '{"kind": "training"}', '{"kind": 3}'])
def test_what_holds_no_results_is_named(results, tmp_path, name, content):
    path = results / name
    before = path.read_text()
    path.write_text(content)
    try:
        with pytest.raises(ValueError, match=path.name):
            write_report(results, tmp_path)
    finally:
        path.write_text(before)


def test_a_record_under_another_name_is_refused(results, tmp_path):
    path = results / FILES["record"]
    before = path.read_text()
    path.write_text(before.replace('"n_clauses": 4000', '"n_clauses": 4100'))
    try:
        with pytest.raises(ValueError, match=rf"{path.name} holds what belongs into wtm-4100-"):
            write_report(results, tmp_path)
    finally:
        path.write_text(before)


def test_records_of_other_data_are_not_mixed(tmp_path):
    records = [made_up_record(WEIGHTS.setting, [97.0], key="mnist", seed=seed) for seed in range(2)]
    records[1].data["digest"] = "1"
    keep(tmp_path, *records)
    with pytest.raises(ValueError, match=r"seed1\.json is of other data than wtm-4000.*seed0\.json"):
        write_report(tmp_path, tmp_path / "docs")
