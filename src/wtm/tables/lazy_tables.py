"""Refuse tables that are not in memory."""

from typing import Any

import narwhals as nw

_METHODS = {  # that read a table into memory
    nw.dependencies.is_polars_lazyframe: "collect",
    nw.dependencies.is_dask_dataframe: "compute",
    nw.dependencies.is_duckdb_relation: "df",
    nw.dependencies.is_ibis_table: "to_pandas",
    nw.dependencies.is_pyspark_dataframe: "toPandas",
    nw.dependencies.is_pyspark_connect_dataframe: "toPandas",
    nw.dependencies.is_sqlframe_dataframe: "toPandas",
}


def refuse_lazy(data: Any, name: str) -> None:
    """Raise a TypeError if `data` is a lazy table; `name` is the argument's name."""
    native = nw.to_native(data, pass_through=True)  # the checks warn of frames of narwhals
    method = next((method for is_lazy, method in _METHODS.items() if is_lazy(native)), None)
    if method is not None:
        method = "collect" if nw.dependencies.is_narwhals_lazyframe(data) else method
        library = type(data).__module__.partition(".")[0]
        other = ", or train and predict with wtm.dask.fit and wtm.dask.predict" if method == "compute" else ""
        raise TypeError(
            f"{name} must be in memory, got the lazy table {library}.{type(data).__name__}. Pass {name}.{method}()"
            f"{other}."
        )
