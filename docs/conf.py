"""How Sphinx builds the site: `sphinx-build -W docs build/site` in a checkout with the extra `docs`."""

import sys
import tomllib
import warnings
from pathlib import Path

import matplotlib as mpl

import wtm

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
_PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]

project = "wtm"
author = _PROJECT["authors"][0]["name"]
copyright = author
version = release = wtm.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["paper/*"]
templates_path = ["_templates"]
html_static_path = ["_static"]
html_css_files = ["site.css"]

html_theme = "pydata_sphinx_theme"
html_title = "wtm"
html_favicon = "_static/icon.svg"
html_theme_options = {
    "navbar_align": "left",
    "show_toc_level": 2,
    "header_links_before_dropdown": 6,
    "navigation_with_keys": False,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
    "show_prev_next": True,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_context = {"default_mode": "auto"}
html_sidebars = {"index": [], "paper": [], "performance": []}

default_role = "py:obj"  # numpydoc puts names in single backticks; they link where the name is known
autosummary_generate = True
toc_object_entries_show_parents = "hide"
autodoc_typehints = "none"  # the docstrings give the types
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

smartquotes_action = "qe"  # dashes stay, since options have two
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3

mpl.rcParams["savefig.dpi"] = 100
sphinx_gallery_conf = {
    "examples_dirs": str(ROOT / "examples"),
    "gallery_dirs": "tutorials",
    "filename_pattern": r"/plot_",
    "within_subsection_order": "tools.tutorial_order.TutorialOrder",
    "show_memory": False,
    "write_computation_times": False,
    "ignore_repr_types": r"matplotlib|wtm\.plots|sklearn\.metrics",
    "default_thumb_file": str(ROOT / "docs" / "_static" / "rule.svg"),
    "show_signature": False,
    "min_reported_time": 1e9,
    "remove_config_comments": True,
    "abort_on_example_error": True,
    "image_srcset": ["2x"],
}
warnings.filterwarnings("ignore", category=UserWarning, message="FigureCanvasAgg is non-interactive")


def setup(app):
    """Write the page on the commands before Sphinx looks for pages."""
    app.connect("builder-inited", _write_commands)


def _write_commands(app):
    from tools.command_page import command_page

    page = Path(app.srcdir) / "generated" / "commands.md"
    page.parent.mkdir(exist_ok=True)
    page.write_text(command_page(), "utf-8")
