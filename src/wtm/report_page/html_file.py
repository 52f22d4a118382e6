"""The report of a model as an HTML file that needs no network."""

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

import numpy as np

from wtm.report_page.page_data import page_data


def to_html(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    feature_names: Sequence[str] | None = None,
    row_names: Sequence[Any] | np.ndarray | None = None,
    image_shape: tuple[int, int] | None = None,
    n_rows: int = 30,
) -> str:
    """Write a model as one HTML file, to read its rules and try what changes its decisions.

    The page lists the rules as the method `rules` does, to sort and search, and the importance of the columns. It
    explains some rows; where their values are changed, it evaluates the rules as `predict` does, with the same sums or
    numbers. The page loads nothing and sends nothing.

    Parameters
    ----------
    model : classifier or regressor of wtm
        Fitted.
    X : array-like, sparse matrix or data frame of shape (n_samples, n_features), optional
        Rows on which the rules are counted, and of which some are explained. **The file contains the values of these.**
    y : array-like of shape (n_samples,), optional
        Labels of the rows, for the accuracy and the precision of the rules; or true numbers, of shape (n_samples,) or
        (n_samples, n_outputs), for the errors.
    feature_names : sequence of str of length `n_features_in_`, optional
        Names of the columns; the default is the names seen in `fit`, or else ``x0``, ``x1`` and so on.
    row_names : array-like of shape (n_samples,), optional
        What the page calls the rows, such as their identifiers; the default is their numbers, from 1.
    image_shape : tuple of int, optional
        Height and width, if the columns are the pixels of images, row by row. The page then draws each class.
    n_rows : int, default=30
        Largest number of rows to explain. They are spread evenly over `X`.

    Returns
    -------
    str
        In ASCII.

    Raises
    ------
    sklearn.exceptions.NotFittedError, TypeError, ValueError
        `model` is not a fitted model of wtm, or another argument is not as described.

    Examples
    --------
    >>> from pathlib import Path
    >>> from wtm import WTMClassifier
    >>> from wtm.report_page import to_html
    >>> X, y = [[39, "red"], [50, "blue"], [41, "red"], [27, "blue"]] * 10, [1, 0, 1, 0] * 10
    >>> clf = WTMClassifier(n_clauses=4, T=4, n_epochs=5, random_state=0).fit(X, y)
    >>> Path("model.html").write_text(to_html(clf, X, y))  # doctest: +SKIP
    """
    data = page_data(
        model, X, y, feature_names=feature_names, row_names=row_names, image_shape=image_shape, n_rows=n_rows
    )
    style = _part("page.css")
    script = "".join(map(_part, ("evaluate.js", "elements.js", "page.js")))
    script = re.sub(r"[^\x00-\x7f]", lambda c: f"\\u{ord(c[0]):04x}", script)  # all are in its strings
    parts = {
        "style": style,
        "style_hash": _csp_hash(style),
        "script": script,
        "script_hash": _csp_hash(script),
        # No name can end the element: "<" is written as an escape of JSON.
        "data": json.dumps(data, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c"),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda place: parts[place[1]], _part("page.html"))


def _part(name: str) -> str:
    return files("wtm.report_page").joinpath(name).read_text("utf-8")


def _csp_hash(text: str) -> str:
    """Return what the page's security policy allows: no other script and style than these can run."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
