"""Models as ONNX graphs."""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from wtm.export.model_tables import Column, Feature, ModelTables, Range, tests_of
from wtm.export.names import Identifiers, plain
from wtm.utils.memory_limits import check_memory
from wtm.utils.printable import short_repr

_OPSETS = {"": 15, "ai.onnx.ml": 2}
_IR_VERSION = 8
_FLOAT, _UINT8, _INT64, _STRING, _BOOL, _DOUBLE = 1, 2, 7, 8, 9, 11  # of onnx.TensorProto


def to_onnx(
    model: Any, *, missing: str = "", feature_names: Sequence[str] | None = None, bits: int | None = None
) -> Any:
    """Write a model, its Booleanizer included, as an ONNX graph.

    If all columns that rules use are numbers, the input is ``X``, float64 of shape (n_samples, `n_features_in_`).
    Otherwise each of these columns is an input of its own, float64 or string of shape (n_samples, 1), with the column's
    name if that is an identifier; the metadata ``columns`` maps all inputs to names of columns. NaN is missing, and so
    is the string `missing`.

    Of a classifier, the outputs are ``label``, of shape (n_samples,), and ``class_sums`` and ``probabilities``, float64
    of shape (n_samples, n_classes). Votes are added as 64-bit integers, so labels and class sums are exactly those of
    the model; probabilities can differ in the last digits. Of a regressor, the output is ``prediction``, float64 of the
    shape that `predict` returns.

    Parameters
    ----------
    model : classifier or regressor of wtm
        Fitted.
    missing : str, default=""
        What stands for a missing value in inputs of strings.
    feature_names : sequence of str of length `n_features_in_`, optional
        Names of the columns; the default is the names seen in `fit`, or else ``x0``, ``x1`` and so on.
    bits : int, optional
        Round votes to signed integers of this many bits, from 2 to 63. By default they are exact.

    Returns
    -------
    onnx.ModelProto
        ``onnx.save`` writes it to a file. It needs opset 15.

    Raises
    ------
    ImportError
        onnx is not installed.
    sklearn.exceptions.NotFittedError, TypeError, ValueError
        `model` is not a fitted model of wtm, another argument is not as described, `missing` is also a category, a
        column holds both text and numbers, or a string has no encoding in UTF-8.
    """
    try:
        import onnx
    except ImportError as error:
        raise ImportError(
            "to_onnx needs onnx. Install it with: pip install 'weighted-tsetlin-machine[onnx]'."
        ) from error
    tables = ModelTables.of(model, feature_names, bits)
    for column in tables.columns:
        _check_column(column, missing)
    _check_texts(tables, missing)
    graph = _Graph(onnx)
    totals = _totals(graph, tables, missing)
    if tables.range is not None:
        _add_numbers(graph, totals, tables.range)
        return graph.model(tables)
    # Not ArgMax of the totals: not every onnxruntime has it for int64.
    is_best = graph.add("Equal", totals, graph.add("ReduceMax", totals, axes=[1]))
    best = graph.add("ArgMax", graph.add("Cast", is_best, to=_FLOAT), axis=1, keepdims=0)
    is_text = isinstance(tables.labels[0], str)
    graph.add("Gather", graph.constant(np.array(tables.labels, object if is_text else None)), best, output="label")
    as_floats = graph.add("Cast", totals, to=_DOUBLE)
    graph.add("Mul", as_floats, graph.constant(np.array(tables.unit)), output="class_sums")
    logits = graph.add("Mul", as_floats, graph.constant(np.array(tables.unit * model._model.logit_scale)))
    graph.add("Softmax", logits, axis=1, output="probabilities")
    return graph.model(tables)


def _add_numbers(graph: "_Graph", totals: str, range: Range) -> None:
    """Turn totals into numbers."""
    shares = graph.add("Mul", graph.add("Cast", totals, to=_DOUBLE), graph.constant(np.array(range.share)))
    ends = [graph.constant(np.array(end)) for end in (-1.0, 1.0)]
    clipped = graph.add("Min", graph.add("Max", shares, ends[0]), ends[1])
    scaled = graph.add("Mul", clipped, graph.constant(np.array(range.half)))
    middle = graph.constant(np.array(range.middle))
    if not range.is_single:
        graph.add("Add", scaled, middle, output="prediction")
        return
    numbers = graph.add("Add", scaled, middle)
    graph.add("Squeeze", numbers, graph.constant(np.array([1])), output="prediction")


class _Graph:
    """Collects inputs, constants and nodes, and names what they give."""

    def __init__(self, onnx: Any) -> None:
        self._onnx = onnx
        self._names = Identifiers("label", "class_sums", "probabilities", "prediction")
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._inputs: dict[str, Any] = {}
        self._columns: dict[str, str] = {}

    def input(self, name: str, n_columns: int, column: Column | None = None) -> str:
        """Add an input of one column, or of a whole table."""
        kind = _STRING if column is not None and column.kind == "text" else _DOUBLE
        found = self._names.new(f"x{plain(name)}" if plain(name)[0].isdigit() else name)
        self._inputs[found] = self._onnx.helper.make_tensor_value_info(found, kind, ["n_samples", n_columns])
        if column is not None:
            self._columns[found] = column.name
        return found

    def constant(self, array: np.ndarray) -> str:
        name = self._names.new("constant")
        self._constants.append(self._onnx.numpy_helper.from_array(array, name))
        return name

    def add(self, operator: str, *inputs: str, output: str = "", domain: str = "", **attributes: Any) -> str:
        output = output or self._names.new(operator)
        self._nodes.append(self._onnx.helper.make_node(operator, inputs, [output], domain=domain, **attributes))
        return output

    def concat(self, parts: list[str]) -> str:
        return self.add("Concat", *parts, axis=1) if len(parts) > 1 else "".join(parts)

    def model(self, tables: ModelTables) -> Any:
        helper = self._onnx.helper
        label = {str: _STRING, bool: _BOOL, int: _INT64, float: _DOUBLE}[type(tables.labels[0])]
        shape = ["n_samples", len(tables.labels)]
        if tables.range is not None:
            rows = shape[:1] if tables.range.is_single else shape
            outputs = [helper.make_tensor_value_info("prediction", _DOUBLE, rows)]
        else:
            outputs = [helper.make_tensor_value_info("label", label, ["n_samples"])]
            outputs += [helper.make_tensor_value_info(name, _DOUBLE, shape) for name in ("class_sums", "probabilities")]
        graph = helper.make_graph(self._nodes, "wtm", list(self._inputs.values()), outputs, self._constants)
        opsets = [helper.make_opsetid(domain, version) for domain, version in _OPSETS.items()]
        model = helper.make_model(graph, producer_name="wtm", opset_imports=opsets, ir_version=_IR_VERSION)
        helper.set_model_props(model, {"columns": json.dumps(self._columns)})
        self._onnx.checker.check_model(model)
        return model


def _check_texts(tables: ModelTables, missing: str) -> None:
    texts = [*tables.labels, missing, *(value for column in tables.columns for value in column.values)]
    for text in texts:
        if isinstance(text, str) and any("\ud800" <= c <= "\udfff" for c in text):
            raise ValueError(f"ONNX can't express {short_repr(text)}, which holds half a character.")


def _check_column(column: Column, missing: str) -> None:
    if column.kind == "mixed":
        raise ValueError(
            f"Column {short_repr(column.name)} held both text and numbers in fit, which no input of ONNX can hold. "
            "Train on a column of one type."
        )
    if column.kind == "text" and column.conditions.has_missing and missing in column.values:
        raise ValueError(
            f"missing={missing!r} is also a category of column {short_repr(column.name)}. Pass another text as missing."
        )


def _features(graph: _Graph, tables: ModelTables, missing: str) -> tuple[str, list[int]]:
    """Compute the features, bool of shape (n_samples, n_features), and return their order."""
    columns, features = tables.columns, tables.features
    texts = [i for i, column in enumerate(columns) if column.kind == "text"]
    numbers = [i for i, column in enumerate(columns) if column.kind == "number"]
    place = {column: i for among in (texts, numbers) for i, column in enumerate(among)}
    codes, values = _sources(graph, tables, texts, numbers, missing)
    order: list[int] = []
    parts: list[str] = []

    def compare(operator: str, source: str, chosen: list[int], against: list[Any]) -> None:
        if chosen:
            places = graph.constant(np.array([place[features[i].column] for i in chosen]))
            constants = [graph.constant(np.array(against))] if against else []
            parts.append(graph.add(operator, graph.add("Gather", source, places, axis=1), *constants))
            order.extend(chosen)

    of_numbers = [i for i, feature in enumerate(features) if columns[feature.column].kind == "number"]
    for operator, test in (("Greater", ">"), ("Equal", "="), ("IsNaN", "missing")):
        chosen = [i for i in of_numbers if features[i].test == test]
        compare(operator, values, chosen, [float(features[i].value) for i in chosen if test != "missing"])  # type: ignore[arg-type]
    chosen = [i for i, feature in enumerate(features) if columns[feature.column].kind == "text"]
    compare("Equal", codes, chosen, [_code(features[i], columns[features[i].column]) for i in chosen])
    return graph.concat(parts), order


def _sources(graph: _Graph, tables: ModelTables, texts: list[int], numbers: list[int], missing: str) -> tuple[str, str]:
    """Read the inputs: codes of the text columns, int64, and values of the number columns, float64."""
    columns = tables.columns
    if not texts:
        positions = graph.constant(np.array([column.position for column in columns]))
        return "", graph.add("Gather", graph.input("X", tables.n_columns), positions, axis=1)
    # Columns come first that can keep their names.
    by_name = sorted(range(len(columns)), key=lambda i: plain(columns[i].name) != columns[i].name)
    inputs = {i: graph.input(columns[i].name, 1, columns[i]) for i in by_name}
    codes = []
    for i in texts:
        keys = [missing if value is None else value for _, value in tests_of(columns[i].conditions)]
        coding: dict[str, Any] = {"keys_strings": keys, "values_int64s": list(range(len(keys))), "default_int64": -1}
        codes.append(graph.add("LabelEncoder", inputs[i], domain="ai.onnx.ml", **coding))
    return graph.concat(codes), graph.concat([inputs[i] for i in numbers])


def _code(feature: Feature, column: Column) -> int:
    return tests_of(column.conditions).index((feature.test, feature.value))


def _totals(graph: _Graph, tables: ModelTables, missing: str) -> str:
    """Add up the votes, int64 of shape (n_samples, n_classes)."""
    rules = tables.rules
    if not rules:
        column = graph.add("Gather", graph.input("X", tables.n_columns), graph.constant(np.array([0])), axis=1)
        nothing = graph.add("Cast", graph.add("IsNaN", column), to=_INT64)
        return graph.add("MatMul", nothing, graph.constant(np.zeros((1, len(tables.labels)), np.int64)))
    check_memory(len(tables.features) * len(rules), "The matrix of features and rules", "Use fewer rules or features.")
    features, order = _features(graph, tables, missing)
    row = {feature: i for i, feature in enumerate(order)}
    literals = np.zeros((len(order), len(rules)), np.int8)
    votes = np.zeros((len(rules), len(tables.labels)), np.int64)
    for i, rule in enumerate(rules):
        literals[[row[feature] for feature in rule.true], i] += 1
        literals[[row[feature] for feature in rule.false], i] -= 1
        votes[i, rule.label] = rule.vote
    # What adds up is the number of true conditions, minus those that must be false: at most the former.
    found = graph.add("MatMulInteger", graph.add("Cast", features, to=_UINT8), graph.constant(literals))
    silent = graph.constant(np.array([len(rule.true) - rule.most for rule in rules], np.int32))
    surplus = graph.add("Max", graph.add("Sub", found, silent), graph.constant(np.array(0, np.int32)))
    return graph.add("MatMul", graph.add("Cast", surplus, to=_INT64), graph.constant(votes))
