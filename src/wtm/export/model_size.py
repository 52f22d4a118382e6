"""How large a model is when it is written, and how often rounded votes decide as exact ones do."""

from dataclasses import dataclass, replace
from typing import Any

from wtm.export.c_source import to_c
from wtm.export.json_model import from_json, to_json
from wtm.export.model_tables import ModelTables, signed_bits


@dataclass(frozen=True)
class Summary:
    """Sizes of a model.

    Attributes
    ----------
    n_rules : int
        Rules that vote; those of one class with the same conditions count once.
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
        Share of the rows that get the same label as with exact votes; None without rows.
    """

    n_rules: int
    n_features: int
    n_literals: int
    vote_bits: int
    sum_bits: int
    c_bytes: int
    n_rows: int = 0
    agreement: float | None = None

    def __str__(self) -> str:
        """Return one or two lines of text."""
        text = (
            f"{self.n_rules:,} rules with {self.n_literals:,} conditions, {self.n_features:,} of them different; votes "
            f"of {self.vote_bits} bits, sums of {self.sum_bits} bits; {self.c_bytes:,} bytes of tables in C"
        )
        if self.agreement is not None:
            text += f"\nthe same label as with exact votes on {self.agreement:.2%} of {self.n_rows:,} rows"
        return text


def summarize(clf: Any, X: Any = None, *, bits: int | None = None) -> Summary:
    """Measure a model as it would be written.

    Parameters
    ----------
    clf : WTMClassifier
        A fitted classifier.
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
        `clf` is not a fitted WTMClassifier, `bits` is not such a number, or `X` is empty or can't be predicted.
    """
    tables = ModelTables.of(clf, bits=bits)
    summary = Summary(
        n_rules=len(tables.rules),
        n_features=len(tables.features),
        n_literals=sum(len(rule.true) + len(rule.false) for rule in tables.rules),
        vote_bits=signed_bits(tables.max_vote),
        sum_bits=signed_bits(tables.max_sum),
        c_bytes=to_c(clf, bits=bits).n_bytes,
    )
    if X is None:
        return summary
    same = from_json(to_json(clf, bits=bits)).predict(X) == clf.predict(X)
    if not len(same):
        raise ValueError("X must have at least one row, got none.")
    return replace(summary, n_rows=len(same), agreement=float(same.mean()))
