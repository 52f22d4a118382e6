"""Columns as the methods need them: numbers for linear models and rule learners, true/false features for controls."""

from typing import Any

from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

__all__ = ["one_hot"]


def one_hot(*, scaled: bool) -> Any:
    """Return a transformer: a 0/1 column per category, and numbers with the mean for missing values."""
    numbers: Any = SimpleImputer(add_indicator=True)
    prepared = make_pipeline(numbers, StandardScaler()) if scaled else numbers
    return make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), make_column_selector(dtype_include="category")),
        (prepared, make_column_selector(dtype_exclude="category")),
    )
