"""The site: what its pages print, and what its reference lists. `.ci/run` builds it, which runs the tutorials."""

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

import wtm

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"


@pytest.mark.parametrize(
    "module",
    ["wtm", "wtm.dask", "wtm.datasets", "wtm.export", "wtm.plots", "wtm.report_page", "wtm.rules", "wtm.search"],
)
def test_the_reference_lists_every_public_name(module):
    public = {name for name in importlib.import_module(module).__all__ if name[0] != "_" and not name.isupper()}
    listed: set[str] = set()
    for of_module, names in re.findall(
        r"currentmodule:: (\S+)\n\.\. autosummary::\n   :toctree: generated\n   :nosignatures:\n\n((?:   \w+\n)+)",
        (DOCS / "api" / "index.md").read_text("utf-8"),
    ):
        if of_module == module:
            listed |= set(names.split())
    assert listed == public


def test_the_notebook_runs():
    for module in ("ipykernel", "nbclient", "nbformat"):
        pytest.importorskip(module)
    import nbclient
    import nbformat

    notebook = nbformat.read(DOCS / "quickstart.ipynb", as_version=4)
    nbclient.NotebookClient(notebook, kernel_name="python3", timeout=240).execute()
    shown = [output for cell in notebook.cells for output in cell.get("outputs", []) if "data" in output]
    assert float(shown[0]["data"]["text/plain"]) > 0.7
    assert shown[-1]["data"]["text/plain"] in ("True", "np.True_")
    assert sum("text/html" in output["data"] for output in shown) >= 2


@pytest.mark.slow
def test_the_tutorial_on_reviews_prints_what_is_stored(data_dir, monkeypatch):
    monkeypatch.setenv("WTM_DATA", str(data_dir))
    ran = subprocess.run([sys.executable, ROOT / "examples" / "reviews.py"], capture_output=True, text=True, check=True)
    assert ran.stdout == (ROOT / "examples" / "reviews.txt").read_text("utf-8")


def test_the_citation_names_this_version():
    assert f"version: {wtm.__version__}\n" in (ROOT / "CITATION.cff").read_text("utf-8")
