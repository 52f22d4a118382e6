"""Models as a combinational Verilog module."""

from collections.abc import Iterator, Sequence
from typing import Any

from wtm.export.model_tables import ModelTables, check_model, signed_bits
from wtm.export.names import check_name, describe, in_comment
from wtm.rules.readable import Readable


def to_verilog(
    model: Any, name: str = "model", *, feature_names: Sequence[str] | None = None, bits: int | None = None
) -> str:
    """Write a model as a combinational module in Verilog-2001, ``NAME_predict``.

    Its input is a bit for each condition that rules use, which a comment lists; its outputs are the position of the
    class and the sum of votes for each class. The bits of a column must go together as those of a value do: if it
    exceeds a number, it exceeds all smaller ones, and it equals at most one category. All rules are wires of their own,
    so this is for small models.

    Parameters
    ----------
    model : WTMClassifier
        Fitted.
    name : str, default="model"
        What the name of the module starts with: lower-case letters, digits and underscores.
    feature_names : sequence of str of length `n_features_in_`, optional
        Names of the columns; the default is the names seen in `fit`, or else ``x0``, ``x1`` and so on.
    bits : int, optional
        Round votes to signed integers of this many bits, from 2 to 63. By default they are exact, with up to 53 bits;
        8 bits or fewer make far smaller circuits.

    Returns
    -------
    str
        The source, in ASCII.

    Raises
    ------
    sklearn.exceptions.NotFittedError, TypeError, ValueError
        `model` is not a fitted WTMClassifier, or another argument is not as described.
    """
    check_name(name)
    check_model(model)
    if not isinstance(model, Readable):
        raise TypeError(
            f"Verilog can only express a WTMClassifier, got a {type(model).__name__}: use to_c, which a soft core or a "
            "microcontroller can run."
        )
    return "\n".join(_lines(ModelTables.of(model, feature_names, bits), name)) + "\n"


def _lines(tables: ModelTables, name: str) -> Iterator[str]:
    width, n_labels = signed_bits(tables.max_sum), len(tables.labels)
    label_range = f"[{(n_labels - 1).bit_length() - 1}:0]"
    yield f"// A classifier written by wtm.export.to_verilog. {len(tables.rules)} rules; sums of {width} bits."
    yield f"// A vote of 1 is worth {tables.unit!r}."
    yield f"module {name}_predict ("
    yield f"  input wire [{max(1, len(tables.features)) - 1}:0] features,"
    yield f"  output wire {label_range} label,"
    sums = [f"  output wire signed [{width - 1}:0] sum_{i}" for i in range(n_labels)]
    yield ",\n".join(sums)
    yield ");"
    yield from (f"  // features[{i}]: {describe(f, tables.columns[f.column])}" for i, f in enumerate(tables.features))
    yield from (f"  // label {i}: {in_comment(label)}" for i, label in enumerate(tables.labels))
    votes: list[list[str]] = [[f"{width}'sd0"] for _ in tables.labels]
    for i, rule in enumerate(tables.rules):
        literals = [*(f"features[{f}]" for f in rule.true), *(f"~features[{f}]" for f in rule.false)]
        yield f"  wire rule_{i} = {' & '.join(literals)};"
        sign = "-" if rule.vote < 0 else ""
        votes[rule.label].append(f"(rule_{i} ? {sign}{width}'sd{abs(rule.vote)} : {width}'sd0)")
    for i, terms in enumerate(votes):
        yield " +\n    ".join([f"  assign sum_{i} =\n    {terms[0]}", *terms[1:]]) + ";"
    yield f"  wire {label_range} best_0 = 0;"
    yield f"  wire signed [{width - 1}:0] largest_0 = sum_0;"
    for i in range(1, n_labels):  # a later class must be larger
        yield f"  wire larger_{i} = sum_{i} > largest_{i - 1};"
        yield f"  wire {label_range} best_{i} = larger_{i} ? {i} : best_{i - 1};"
        yield f"  wire signed [{width - 1}:0] largest_{i} = larger_{i} ? sum_{i} : largest_{i - 1};"
    yield f"  assign label = best_{n_labels - 1};"
    yield "endmodule"
