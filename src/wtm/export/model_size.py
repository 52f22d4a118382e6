"""How large a model is when it is written, and how often rounded votes decide as exact ones do."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from wtm.export.c_source import to_c
from wtm.export.json_model import from_json, to_json
from wtm.export.model_tables import ModelTables, signed_bits


@dataclass(frozen=True)
class Summary:
    """Sizes of a model.

    Attributes
    ----------
    n_rules : int
        Rules that vote, as many as ``rules(one_sided=False)`` shows of strict ones.
    n_features : int
        Conditions on columns that the rules use.
    n_literals : int
        Conditions of all rules.
    vote_bits : int
        Width of a vote, with its sign.
    sum_bits : int
        Width that holds every sum of votes of a class, in whatever order they are added.
    c_bytes : int
        Size of the constant tables in C, for rows of float64.
    n_rows : int
        Number of rows that were compared.
    agreement : float or None
        Share of the rows that get the same label as with exact votes; None without rows, and of a regressor.
    difference : float or None
        Of a regressor, the largest difference from the numbers of exact votes; None without rows.
    """

    n_rules: int
    n_features: int
    n_literals: int
    vote_bits: int
    sum_bits: int
    c_bytes: int
    n_rows: int = 0
    agreement: float | None = None
    difference: float | None = None

    def __str__(self) -> str:
        """Return one or two lines of text."""
        text = (
            f"{self.n_rules:,} rules with {self.n_literals:,} conditions, {self.n_features:,} of them different; votes "
            f"of {self.vote_bits} bits, sums of {self.sum_bits} bits; {self.c_bytes:,} bytes of tables in C"
        )
        if self.agreement is not None:
            text += f"\nthe same label as with exact votes on {self.agreement:.2%} of {self.n_rows:,} rows"
        if self.difference is not None:
            text += f"\nat most {self.difference:.3g} away from the numbers of exact votes on {self.n_rows:,} rows"
        return text


def summarize(model: Any, X: Any = None, *, bits: int | None = None) -> Summary:
    """Measure a model as it would be written.

    Parameters
    ----------
    model : classifier or regressor of wtm
        Fitted.
    X : array-like, sparse matrix or data frame of shape (n_samples, n_features), optional
        Rows on which to compare labels with those of exact votes.
    bits : int, optional
        Round votes to signed integers of this many bits, from 2 to 63. By default they are exact.

    Returns
    -------
    Summary

    Raises
    ------
    sklearn.exceptions.NotFittedError, TypeError, ValueError
        `model` is not a fitted model of wtm, `bits` is not such a number, or `X` is empty or can't be predicted.
    """
    tables = ModelTables.of(model, bits=bits)
    summary = Summary(
        n_rules=len(tables.rules),
        n_features=len(tables.features),
        n_literals=sum(len(rule.true) + len(rule.false) for rule in tables.rules),
        vote_bits=signed_bits(tables.max_vote),
        sum_bits=signed_bits(tables.max_sum),
        c_bytes=to_c(model, bits=bits).n_bytes,
    )
    if X is None:
        return summary
    exact, rounded = model.predict(X), from_json(to_json(model, bits=bits)).predict(X)
    if not len(exact):
        raise ValueError("X must have at least one row, got none.")
    compared = compare(exact, rounded, are_numbers=tables.range is not None)
    return replace(summary, n_rows=len(exact), agreement=compared[0], difference=compared[1])


def compare(exact: np.ndarray, rounded: np.ndarray, *, are_numbers: bool) -> tuple[float | None, float | None]:
    """Return `Summary.agreement` and `Summary.difference`, from predictions."""
    if are_numbers:
        return None, float(np.abs(exact - rounded).max())
    return float((exact == rounded).mean()), None
