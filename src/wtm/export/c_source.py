"""Models as C99: constant tables and a loop over them."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from string import Template
from typing import Any, NamedTuple

import numpy as np

from wtm.export.model_tables import Column, Feature, ModelTables, signed_bits
from wtm.export.names import Identifiers, check_name, describe, in_comment

NUMBER_TYPES = {"double": 8, "float": 4, "int32_t": 4}
"""Types of the numbers in a row, and their sizes in bytes."""

_HEADER = Template("""\
/* A $kind written by wtm.export.to_c. $size

   A row holds one number for each column of the training table. A category is one of the constants below, and any other
   category is ${NAME}_OTHER. A missing value is ${NAME}_MISSING. Compile without -ffast-math. */
#ifndef WTM_${NAME}_H
#define WTM_${NAME}_H

$include#include <stdint.h>

#define ${NAME}_N_COLUMNS $n_columns
#define ${NAME}_N_FEATURES $n_features
#define ${NAME}_N_BYTES $n_feature_bytes /* of packed features */
#define ${NAME}_N_$outputs $n_outputs
#define ${NAME}_TABLE_BYTES $n_bytes /* of constant tables */
#define ${NAME}_UNIT $unit /* what a vote of 1 is worth */
#define ${NAME}_OTHER (-1)
#define ${NAME}_MISSING $missing

$constants

/* Features, bit by bit: feature i is bit i % 8 of byte i / 8. Those of a column must go together as those of a value
   do: if it exceeds a number, it exceeds all smaller ones, and it equals at most one category.
$features */

#ifdef __cplusplus
extern "C" {
#endif

typedef $number_type ${name}_number;
typedef $sum_type ${name}_sum;

/* Compute the features of a row. */
void ${name}_encode(const ${name}_number row[${NAME}_N_COLUMNS], uint8_t features[${NAME}_N_BYTES]);

/* Add up the votes for each $what; times ${NAME}_UNIT, they are the ${sums}. */
void ${name}_$sums(const uint8_t features[${NAME}_N_BYTES], ${name}_sum sums[${NAME}_N_$outputs]);

$prediction

#ifdef __cplusplus
}
#endif

#endif
""")

_PREDICT_LABEL = Template("""\
/* Return the class with the largest sum, the first one on a tie. */
int ${name}_predict_features(const uint8_t features[${NAME}_N_BYTES]);

/* Encode and predict. */
int ${name}_predict(const ${name}_number row[${NAME}_N_COLUMNS]);""")

_PREDICT_NUMBERS = Template("""\
/* Compute the predicted numbers. */
void ${name}_predict_features(const uint8_t features[${NAME}_N_BYTES], double numbers[${NAME}_N_OUTPUTS]);

/* Encode and predict. */
void ${name}_predict(const ${name}_number row[${NAME}_N_COLUMNS], double numbers[${NAME}_N_OUTPUTS]);""")

_SOURCE = Template("""\
/* Written by wtm.export.to_c. */
#include "$name.h"

$arrays

void ${name}_encode(const ${name}_number row[${NAME}_N_COLUMNS], uint8_t features[${NAME}_N_BYTES])
{
    int32_t i;
    for (i = 0; i < ${NAME}_N_BYTES; i++) features[i] = 0;
    for (i = 0; i < ${NAME}_N_FEATURES; i++) {
        const ${name}_number x = row[${name}_feature_column[i]], value = ${name}_feature_value[i];
        const int test = ${name}_feature_test[i]; /* 0: greater, 1: equal, 2: missing */
        const int holds = test == 0 ? x > value : test == 1 ? x == value : $is_missing;
        if (holds) features[i / 8] = (uint8_t)(features[i / 8] | (1u << (i % 8)));
    }
}

void ${name}_$sums(const uint8_t features[${NAME}_N_BYTES], ${name}_sum sums[${NAME}_N_$outputs])
{
    uint32_t literal = 0, rule = 0;
    int $output;
    for ($output = 0; $output < ${NAME}_N_$outputs; $output++) {
        sums[$output] = 0;
        for (; rule < ${name}_${output}_end[$output]; rule++) {
            const uint32_t end = literal + ${name}_rule_length[rule];
            int votes = $most;
            for (; votes > 0 && literal < end; literal++) {
                /* Twice the feature, plus 1 if it must be false. */
                const uint32_t code = ${name}_literal[literal], feature = code / 2;
                votes -= ((features[feature / 8] >> (feature % 8)) & 1u) == code % 2;
            }
            literal = end;
            if (votes > 0) sums[$output] = (${name}_sum)(sums[$output] + (${name}_sum)votes * ${name}_vote[rule]);
        }
    }
}

$prediction""")

_LABEL_SOURCE = Template("""\
int ${name}_predict_features(const uint8_t features[${NAME}_N_BYTES])
{
    ${name}_sum sums[${NAME}_N_CLASSES];
    int label, best = 0;
    ${name}_class_sums(features, sums);
    for (label = 1; label < ${NAME}_N_CLASSES; label++) {
        if (sums[label] > sums[best]) best = label;
    }
    return best;
}

int ${name}_predict(const ${name}_number row[${NAME}_N_COLUMNS])
{
    uint8_t features[${NAME}_N_BYTES];
    ${name}_encode(row, features);
    return ${name}_predict_features(features);
}
""")

_NUMBERS_SOURCE = Template("""\
void ${name}_predict_features(const uint8_t features[${NAME}_N_BYTES], double numbers[${NAME}_N_OUTPUTS])
{
    static const double middle[${NAME}_N_OUTPUTS] = {$middle}, half[${NAME}_N_OUTPUTS] = {$half};
    ${name}_sum sums[${NAME}_N_OUTPUTS];
    int output;
    ${name}_sums(features, sums);
    for (output = 0; output < ${NAME}_N_OUTPUTS; output++) {
        double share = (double)sums[output] * $share; /* of the range */
        if (share > 1) share = 1;
        if (share < -1) share = -1;
        numbers[output] = middle[output] + share * half[output];
    }
}

void ${name}_predict(const ${name}_number row[${NAME}_N_COLUMNS], double numbers[${NAME}_N_OUTPUTS])
{
    uint8_t features[${NAME}_N_BYTES];
    ${name}_encode(row, features);
    ${name}_predict_features(features, numbers);
}
""")

_TESTS = (">", "=", "missing")
_INT32_MIN, _INT32_MAX = -(2**31), 2**31 - 1


class CSource(NamedTuple):
    """A model in C.

    Attributes
    ----------
    header, source : str
        Contents of ``NAME.h`` and ``NAME.c``, in ASCII.
    n_bytes : int
        Size of the constant tables.
    """

    header: str
    source: str
    n_bytes: int


def to_c(
    model: Any,
    name: str = "model",
    *,
    number_type: str = "double",
    feature_names: Sequence[str] | None = None,
    bits: int | None = None,
) -> CSource:
    """Write a model as a header and a source in C99, which allocate nothing and need no library.

    Of a classifier, ``NAME_predict(row)`` returns the position of the class, and ``NAME_class_sums`` adds up its votes
    as integers. Of a regressor, ``NAME_predict(row, numbers)`` writes the predicted numbers. Several models can be in
    one program if their names differ.

    Parameters
    ----------
    model : classifier or regressor of wtm
        Fitted.
    name : str, default="model"
        What all names in the program start with: lower-case letters, digits and underscores.
    number_type : {"double", "float", "int32_t"}, default="double"
        Type of the values in a row. Thresholds are rounded down to it, so the features of every value of this type are
        exact.
    feature_names : sequence of str of length `n_features_in_`, optional
        Names of the columns; the default is the names seen in `fit`, or else ``x0``, ``x1`` and so on.
    bits : int, optional
        Round votes to signed integers of this many bits, from 2 to 63. By default they are exact.

    Returns
    -------
    CSource

    Raises
    ------
    sklearn.exceptions.NotFittedError, TypeError, ValueError
        `model` is not a fitted model of wtm, or another argument is not as described.
    """
    check_name(name)
    if number_type not in NUMBER_TYPES:
        raise ValueError(f"number_type must be one of {', '.join(NUMBER_TYPES)}; got {number_type!r}.")
    tables = ModelTables.of(model, feature_names, bits)
    arrays = list(_arrays(tables, number_type))
    n_bytes = sum(array.n_bytes for array in arrays)
    is_integer = number_type == "int32_t"
    words = _words(tables, name)
    source = _SOURCE.substitute(
        words,
        prediction=_prediction(tables, words),
        arrays="\n".join(line for array in arrays for line in array.lines(name)),
        is_missing="x == INT32_MIN" if is_integer else "x != x",
    )
    return CSource(_header(tables, words, number_type, n_bytes), source, n_bytes)


def _words(tables: ModelTables, name: str) -> dict[str, str]:
    """Return the words that differ between models."""
    words = {"name": name, "NAME": name.upper(), "output": "label", "outputs": "CLASSES", "sums": "class_sums"}
    words |= {
        "kind": "classifier",
        "what": "class",
        "most": "1" if tables.literal_failures is None else f"{name}_most[rule]",
    }
    if tables.range is not None:
        words |= {"kind": "regressor", "what": "output", "output": "output", "outputs": "OUTPUTS", "sums": "sums"}
    return words


def _prediction(tables: ModelTables, words: dict[str, str]) -> str:
    """Return the functions that predict."""
    if tables.range is None:
        return _LABEL_SOURCE.substitute(words)
    middle, half = (", ".join(map(float.hex, ends)) for ends in (tables.range.middle, tables.range.half))
    return _NUMBERS_SOURCE.substitute(words, middle=middle, half=half, share=tables.range.share.hex())


@dataclass(frozen=True)
class _Array:
    """A constant table; C has no empty ones."""

    name: str
    type: str
    items: list[Any]
    item_bytes: int

    @classmethod
    def of_integers(cls, name: str, items: Iterable[int]) -> "_Array":
        """Choose the smallest type that holds the items."""
        items = list(items) or [0]
        signed = min(items) < 0
        n_bits = signed_bits(max(map(abs, items))) - (not signed)
        width = next(width for width in (8, 16, 32, 64) if width >= n_bits)
        return cls(name, f"{'' if signed else 'u'}int{width}_t", items, width // 8)

    @property
    def n_bytes(self) -> int:
        return len(self.items) * self.item_bytes

    def lines(self, prefix: str) -> Iterator[str]:
        yield f"static const {self.type} {prefix}_{self.name}[{len(self.items)}] = {{"
        per_line = max(1, 100 // (2 + max(len(str(item)) for item in self.items)))
        for start in range(0, len(self.items), per_line):
            yield "    " + ", ".join(map(str, self.items[start : start + per_line])) + ","
        yield "};"


def _arrays(tables: ModelTables, number_type: str) -> Iterator[_Array]:
    features, rules, columns = tables.features, tables.rules, tables.columns
    values = [_value(feature, columns[feature.column], number_type) for feature in features] or ["0"]
    yield _Array("feature_value", number_type, values, NUMBER_TYPES[number_type])
    yield _Array.of_integers("feature_column", (columns[feature.column].position for feature in features))
    yield _Array.of_integers("feature_test", (_TESTS.index(feature.test) for feature in features))
    yield _Array.of_integers("literal", (code for r in rules for code in sorted(
        [*(2 * f for f in r.true), *(2 * f + 1 for f in r.false)])))  # fmt: skip
    yield _Array.of_integers("rule_length", (len(rule.true) + len(rule.false) for rule in rules))
    yield _Array.of_integers("vote", (rule.vote for rule in rules))
    if tables.literal_failures is not None:
        yield _Array.of_integers("most", (rule.most for rule in rules))
    n_rules = np.cumsum(np.bincount([rule.label for rule in rules], minlength=len(tables.labels)).astype(np.int64))
    yield _Array.of_integers("label_end" if tables.range is None else "output_end", n_rules.tolist())


def _value(feature: Feature, column: Column, number_type: str) -> str:
    """Return what a feature compares with, as a constant of the type."""
    if feature.test == "missing":
        return "0"
    if feature.test == "=":
        return str([*column.values].index(feature.value))  # type: ignore[arg-type]
    threshold = float(feature.value)  # type: ignore[arg-type]
    if number_type == "int32_t":
        rounded = min(max(math.floor(threshold), _INT32_MIN), _INT32_MAX)
        return "INT32_MIN" if rounded == _INT32_MIN else str(rounded)
    if number_type == "float":
        with np.errstate(over="ignore"):
            single = np.float32(threshold)
        threshold = float(single if float(single) <= threshold else np.nextafter(single, np.float32(-np.inf)))
    return "-INFINITY" if threshold == -math.inf else threshold.hex() + "f" * (number_type == "float")


def _header(tables: ModelTables, words: dict[str, str], number_type: str, n_bytes: int) -> str:
    upper, is_integer = words["NAME"], number_type == "int32_t"
    n_feature_bytes = max(1, -(-len(tables.features) // 8))
    sum_bits = next(width for width in (8, 16, 32, 64) if width >= signed_bits(tables.max_sum))
    n_stack_bytes = n_feature_bytes + sum_bits // 8 * len(tables.labels)
    features = [f"{i}: {describe(f, tables.columns[f.column])}" for i, f in enumerate(tables.features)]
    return _HEADER.substitute(
        words,
        prediction=(_PREDICT_LABEL if tables.range is None else _PREDICT_NUMBERS).substitute(words),
        size=f"{len(tables.rules):,} rules, {n_bytes:,} bytes of constant tables; predicting takes\n   "
        f"{n_stack_bytes:,} bytes of stack for features and sums.",
        include="" if is_integer else "#include <math.h>\n",
        n_columns=tables.n_columns,
        n_features=len(tables.features),
        n_feature_bytes=n_feature_bytes,
        n_outputs=len(tables.labels),
        n_bytes=n_bytes,
        unit=repr(tables.unit),
        missing="INT32_MIN" if is_integer else "NAN",
        constants="\n".join(f"#define {upper}_{line}" for line in _constants(tables)),
        features="\n".join(f"   {feature}" for feature in features),
        number_type=number_type,
        sum_type=f"int{sum_bits}_t",
    )


def _constants(tables: ModelTables) -> Iterator[str]:
    """Yield names, without the prefix, and values of the classes, columns and categories."""
    reserved = (
        "N_COLUMNS",
        "N_FEATURES",
        "N_BYTES",
        "N_CLASSES",
        "N_OUTPUTS",
        "TABLE_BYTES",
        "UNIT",
        "OTHER",
        "MISSING",
        "H",
    )
    names = Identifiers(*reserved)
    for i, label in enumerate(tables.labels if tables.range is None else ()):
        yield f"{names.new('CLASS', str(label)).upper()} {i} /* {in_comment(label)} */"
    for column in tables.columns:
        found = names.new("COLUMN", column.name).upper()
        yield f"{found} {column.position} /* {in_comment(column.name)} */"
        for i, value in enumerate(column.values):
            yield f"{names.new(found.removeprefix('COLUMN_'), str(value)).upper()} {i} /* {in_comment(value)} */"
