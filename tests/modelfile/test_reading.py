"""Reading a model file refuses everything that is not valid."""

import copy
import json
import pickle
import subprocess
import sys
import tracemalloc

import joblib
import numpy as np
import pytest
import safetensors
import safetensors.numpy
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.helpers.modelfiles import changed, contents, forge, through_a_file
from tests.helpers.problems import assert_same_model, small, three_classes
from wtm import load_model
from wtm.modelfile.schema import SCHEMA_VERSION
from wtm.modelfile.values import parse_json
from wtm.rules import rules_of
from wtm.utils import memory_limits
from wtm.utils.threads import resolve_n_threads


@pytest.fixture(scope="module", params=[False, True], ids=["whole", "prediction only"])
def saved(request, trained, tmp_path_factory):
    """A file's bytes, and what is in its header."""
    file = tmp_path_factory.mktemp("saved") / "model.safetensors"
    trained.save(file, prediction_only=request.param)
    return file.read_bytes()


OTHERS = {
    "empty": b"",
    "a byte": b"\0",
    "text": b"hello, world\n" * 20,
    "pickle": pickle.dumps({"a": list(range(100))}),
    "zip": b"PK\x03\x04" + bytes(100),
    "zeros": bytes(1000),
    "ones": b"\xff" * 1000,
    "other safetensors": safetensors.numpy.save({"a": np.zeros(3)}),
    "other metadata": safetensors.numpy.save({"a": np.zeros(3)}, {"format": "pt"}),
    "no json": safetensors.numpy.save({"a": np.zeros(3)}, {"wtm": "model"}),
    "a list": safetensors.numpy.save({"a": np.zeros(3)}, {"wtm": "[]"}),
    "nothing": safetensors.numpy.save({"a": np.zeros(3)}, {"wtm": "{}"}),
    "deep": safetensors.numpy.save({"a": np.zeros(3)}, {"wtm": "[" * 100_000}),
    "NaN": safetensors.numpy.save({"a": np.zeros(3)}, {"wtm": '{"schema_version": NaN}'}),
    "infinite": safetensors.numpy.save({"a": np.zeros(3)}, {"wtm": '{"schema_version": 1e999}'}),
    "digits": safetensors.numpy.save({"a": np.zeros(3)}, {"wtm": '{"schema_version": ' + "9" * 9999 + "}"}),
    "twice": safetensors.numpy.save({"a": np.zeros(3)}, {"wtm": '{"schema_version": 1, "schema_version": 1}'}),
    "unchecked": safetensors.numpy.save({"a": np.zeros(3)}, {"wtm": '{"schema_version": 1}'}),
    "no checksum": safetensors.numpy.save({"a": np.zeros(3)}, {"wtm": '{"schema_version": 1, "sha256": ""}'}),
    "header beyond the end": (1 << 40).to_bytes(8, "little") + b"{}",
}


@pytest.mark.parametrize("other", OTHERS)
def test_other_files_are_refused_by_name(other, path):
    path.write_bytes(OTHERS[other])
    with pytest.raises(ValueError, match=r"model\.safetensors can't be loaded as a model: [a-z]"):
        load_model(path)


def test_a_file_of_the_future_says_who_can_read_it(trained, path):
    trained.save(path)
    header, arrays = contents(path)
    forge(path, header | {"schema_version": SCHEMA_VERSION + 1, "wtm_version": "9.1.0", "parameters": 3}, arrays)
    with pytest.raises(ValueError, match=r"wtm 9\.1\.0 wrote it with schema version \d.* install the version that"):
        load_model(path)
    forge(path, header | {"wtm_version": "9.1.0", "parameters": {"colour": 3}}, arrays)
    with pytest.raises(ValueError, match=r"wtm 9\.1\.0 wrote it, .*'colour'"):
        load_model(path)


@pytest.mark.parametrize("change", [{"parameters": {"colour" * 10_000: 3}}, {"history": "long" * 10_000}], ids=list)
def test_a_reason_with_a_long_name_or_value_is_cut(trained, path, change):
    trained.save(path)
    header, arrays = contents(path)
    forge(path, header | change, arrays)
    with pytest.raises(ValueError, match=r"\.\.\.$") as caught:
        load_model(path)
    assert len(str(caught.value)) < len(str(path)) + 1100


def test_parameters_that_a_file_lacks_are_the_defaults(trained, path):
    trained.save(path)
    header, arrays = contents(path)
    del header["parameters"]["verbose"], header["parameters"]["n_epochs"]
    forge(path, header, arrays)
    assert load_model(path).get_params() == trained.get_params() | {"verbose": 0, "n_epochs": 30}


PRUNING = {"n_rules_before": 3, "n_rules": 1}
WRONG_HEADERS = [
    *((("machine", "n_features"), value) for value in (0, -1, 8, 1 << 62, "7", 7.0, True, None)),
    *((("machine", "n_clauses"), value) for value in (0, 2, 9, 1 << 62, 10.0)),
    *((("machine", "n_states"), value) for value in (0, 2, 300)),
    *((("machine", name), value) for name in ("T", "s", "gamma") for value in (-1.0, 3, "nan", None)),
    (("machine", "gamma"), 900.0),  # the exponents are beyond its range
    (("machine", "engine"), "eager"),
    (("machine", "boost_true_positive"), 1),
    *((("machine", "max_literals"), value) for value in (0, "3", 3.0, True)),
    (("machine",), {}),
    *((("progress", name), value) for name in ("seed", "n_seen", "n_epochs") for value in (-1, 1 << 63, 1.0, None)),
    *((("progress", "n_seen"), value) for value in (0, 1, (1 << 63) - 1, 1 << 62)),
    (("progress", "n_epochs"), 3),
    (("attributes", "n_epochs_"), 3),
    *((("attributes", "best_epoch_"), value) for value in (1, 3, True, "2", None)),
    (("history",), [{}]),
    (("history",), [{}] * 3),
    *((("parameters", "n_jobs"), value) for value in (0, True, 1.5, "all", [1])),
    (("progress",), None),
    *((("logit_scale",), value) for value in (0.0, -1.0, 1, None, {"float": "inf"})),
    (("estimator",), "WTMRegressor"),
    (("prediction_only",), True),
    (("prediction_only",), 0),
    (("schema_version",), 0),
    (("schema_version",), True),
    (("schema_version",), "1"),
    (("parameters",), []),
    (("parameters", "callbacks"), None),
    (("parameters", "__class__"), "x"),
    (("parameters", "T"), {"float": "1"}),
    (("parameters", "T"), {"items": [[[], 1]]}),
    (("parameters", "T"), {"items": [[1]]}),
    (("parameters", "T"), {"bytes": "xyz"}),
    (("parameters", "T"), {"bytes": "00", "float": "nan"}),
    *((("attributes", name), 1) for name in ("__class__", "_model", "machines_", "classes_", "history_", "fit")),
    (("attributes", "best_epoch_"), [1]),
    (("attributes", "n_features_in_"), 8),
    (("attributes", "n_epochs_"), -1),
    (("attributes",), {}),
    (("feature_names_in",), ["a"]),
    (("feature_names_in",), [1, 2, 3, 4, 5, 6, 7]),
    (("feature_names_in",), "abcdefg"),
    (("history",), [[]]),
    (("history",), None),
    (("booleanizer",), []),
    *((("pruning",), value) for value in (None, [], {}, {"n_rules": 3}, {"n_rules_before": 3, "n_rules": -1})),
    *((("pruning",), PRUNING | {"curve": value}) for value in (3, [[1]], [[1.0, 0.5]], [[1, 1.5]], [[True, 0.5]])),
    *((("pruning",), PRUNING | {"accuracy": value}) for value in (-0.5, 1, None, {"float": "nan"})),
    (("classes",), ["maybe so", "no", "yes"]),
    (("classes", "values"), ["maybe so", "no"]),
    (("classes", "values"), ["no", "maybe so", "yes"]),
    (("classes", "values"), ["no", "no", "yes"]),
    (("classes", "values"), ["maybe so!", "no", "yes"]),
    (("classes", "values"), ["maybe so", 1, "yes"]),
    (("classes", "values"), ["maybe so", None, "yes"]),
    *((("classes", "dtype"), dtype) for dtype in ("<U2", "<U999999999", "<i8", "|O8", "<U8,<U8", "V8", "<M8[D]", "")),
    (("classes",), {"dtype": "<f8", "values": [1.0, 2.0, {"float": "nan"}]}),
    (("classes",), {"dtype": "<i8", "values": [1.0, 2.0, 3.0]}),
    (("classes",), {"dtype": "<i8", "values": [False, True, 2]}),
    (("classes",), {"dtype": "|u1", "values": [1, 2, 256]}),
    (("classes",), {"dtype": "|O", "values": ["a", 2, "c"]}),
    (("classes",), {"dtype": "|O", "values": [["a"], ["b"], ["c"]]}),
]


@pytest.mark.parametrize(("keys", "value"), WRONG_HEADERS, ids=str)
def test_a_header_that_can_not_be_is_refused_although_its_checksum_is_right(trained, path, keys, value):
    trained.save(path)
    header, arrays = contents(path)
    forge(path, changed(header, keys, value), arrays)
    with pytest.raises(ValueError, match="can't be loaded as a model: "):
        load_model(path)


@pytest.mark.parametrize("key", ["schema_version", "machine", "parameters", "classes", "attributes", "history"])
def test_a_header_that_lacks_something_is_refused(trained, path, key):
    trained.save(path)
    header, arrays = contents(path)
    forge(path, {name: value for name, value in header.items() if name != key}, arrays)
    with pytest.raises(ValueError, match=f"lacks {key}"):
        load_model(path)


def _with(name, change):
    def changed(arrays):
        array = arrays[name].copy()
        return arrays | {name: change(array)}

    return changed


def _set(index, value):
    def change(array):
        array[index] = value
        return array

    return change


WRONG_ARRAYS = {
    "no states": lambda arrays: {name: array for name, array in arrays.items() if name != "states"},
    "one more": lambda arrays: arrays | {"more": np.zeros(1)},
    "one class less": _with("states", lambda a: a[:2]),
    "flat": _with("states", np.ravel),
    "transposed": _with("states", lambda a: a.swapaxes(1, 2)),
    "other type": _with("states", lambda a: a.view(np.int8)),
    "state beyond the last": _with("states", _set((0, 0, 0), 100)),
    "exponents of 64 bits": _with("exponents", lambda a: a.astype(np.int64)),
    "exponent beyond the edge": _with("exponents", _set((0, 0), 10_000)),
    "least exponent": _with("exponents", _set((2, 9), -(2**31))),
    "dead generator": _with("random", _set((1, slice(16, 18)), 0)),
    "dead generator of eight": _with("random", _set((0, [3, 11]), 0)),
    "random floats": _with("random", lambda a: a.astype(np.float64)),
}


@pytest.mark.parametrize("wrong", WRONG_ARRAYS)
def test_arrays_that_can_not_be_are_refused_although_their_checksum_is_right(path, wrong):
    small(n_states=100).fit(*three_classes()).save(path)
    header, arrays = contents(path)
    forge(path, header, WRONG_ARRAYS[wrong](arrays))
    with pytest.raises(ValueError, match="can't be loaded as a model: "):
        load_model(path)


WRONG_LITERALS = {
    "beyond the last": _with("literals", _set(-1, 14)),
    "twice": _with("literals", _set(1, 3)),
    "too few": _with("literals", lambda a: a[:-1]),
    "none": _with("literals", lambda a: a[:0]),
    "a table": _with("literals", lambda a: a[None]),
    "a number": _with("literals", lambda a: a[0]),
    "wider": _with("literals", lambda a: a.astype(np.int32)),
    "negative count": _with("literal_counts", lambda a: np.array([[-1, a.sum() + 1] + [0] * 8, *a[1:] * 0], np.int32)),
    "huge count": _with("literal_counts", _set((0, 0), 2**31 - 1)),
    "one clause takes another's": _with("literal_counts", _set((0, slice(2)), [1, 4])),
    "no counts": lambda arrays: {name: array for name, array in arrays.items() if name != "literal_counts"},
    "no literals": lambda arrays: {name: array for name, array in arrays.items() if name != "literals"},
}


@pytest.mark.parametrize("wrong", WRONG_LITERALS)
def test_literals_that_can_not_be_are_refused_although_their_checksum_is_right(path, wrong):
    small().fit(*three_classes()).save(path, prediction_only=True)
    header, arrays = contents(path)
    arrays["literals"] = np.array([3, 4, 1, 2, 3], np.uint16)
    arrays["literal_counts"] = np.array([[2, 3] + [0] * 8] + [[0] * 10] * 2, np.int32)
    forge(path, header, arrays)
    load_model(path)  # right so far
    forge(path, header, WRONG_LITERALS[wrong](arrays))
    with pytest.raises(ValueError, match="can't be loaded as a model: "):
        load_model(path)


def test_a_header_that_promises_much_gets_no_memory(trained, path):
    """Sizes are compared with what the file has, not allocated."""
    trained.save(path)
    header, arrays = contents(path)
    header = changed(header, ("machine", "n_clauses"), 1 << 24)
    header = changed(header, ("attributes", "n_features_in_"), 1 << 30)
    forge(path, changed(header, ("machine", "n_features"), 1 << 30), arrays)
    with pytest.raises(ValueError, match="by its header they should be"):
        load_model(path)


@pytest.mark.parametrize("n_features", [1 << 62, (1 << 30) + 1])
def test_a_model_for_prediction_has_no_more_features_than_literals_can_number(trained, path, n_features):
    trained.save(path, prediction_only=True)
    header, arrays = contents(path)
    arrays["literals"] = arrays["literals"].astype(np.int32)
    header = changed(header, ("attributes", "n_features_in_"), n_features)
    forge(path, changed(header, ("machine", "n_features"), n_features), arrays)
    with pytest.raises(ValueError, match="n_features must be from 1 to 1073741824"):
        load_model(path)


def test_a_model_that_claims_many_features_takes_no_memory_for_them(trained, path, monkeypatch):
    """Neither when it is read nor for its rules; prediction counts its working space before it is allocated."""
    trained.save(path, prediction_only=True)
    header, arrays = contents(path)
    arrays["literals"] = arrays["literals"].astype(np.int32)
    header = changed(header, ("attributes", "n_features_in_"), 1 << 30)
    forge(path, changed(header, ("machine", "n_features"), 1 << 30), arrays)
    model = load_model(path)
    tracemalloc.start()
    rules = rules_of(model)
    assert tracemalloc.get_traced_memory()[1] < 1 << 24
    tracemalloc.stop()
    assert len(rules) == len(rules_of(trained))
    assert {literal for rule in rules for literal in rule.literals} <= {f"x{i}" for i in range(14)}
    monkeypatch.setattr(memory_limits, "available_memory", lambda: 1 << 33)
    with pytest.raises(MemoryError, match="1,073,741,824 features"):
        model.predict(sp.csr_array((1, 1 << 30)))


def test_a_header_of_empty_lists_is_refused_at_once(trained, path):
    trained.save(path)
    header, arrays = contents(path)
    text = json.dumps(header | {"history": [{}] * 1_000_000}, separators=(",", ":"))
    path.write_bytes(safetensors.numpy.save(arrays, {"wtm": text}))
    tracemalloc.start()
    with pytest.raises(ValueError, match="lists and objects in only"):
        load_model(path)
    assert tracemalloc.get_traced_memory()[1] < 20 * len(text)
    tracemalloc.stop()


def test_a_header_that_may_not_fit_in_memory_is_not_parsed(monkeypatch):
    monkeypatch.setattr(memory_limits, "available_memory", lambda: 1 << 26)
    with pytest.raises(MemoryError, match="Parsing a header"):
        parse_json("[" + "10," * 1_000_000 + "0]")


@pytest.mark.parametrize("n_jobs", [None, -1, 1, 4, 10**6, -(10**6)])
def test_a_file_asks_for_no_more_threads_than_there_are_cores(trained, path, n_jobs):
    trained.save(path)
    header, arrays = contents(path)
    forge(path, changed(header, ("parameters", "n_jobs"), n_jobs), arrays)
    loaded = load_model(path)
    most = max(8, joblib.cpu_count())
    assert loaded.n_jobs == (n_jobs if n_jobs is None else min(n_jobs, most))
    assert resolve_n_threads(loaded.n_jobs) <= most
    loaded.predict(three_classes()[0])


@pytest.mark.parametrize(
    ("change", "reason"),
    [({"n_jobs": 0}, "n_jobs must be"), ({"history_": []}, "history_ has 0 entries"), ({"best_epoch_": 1}, "is 1")],
    ids=["n_jobs", "history_", "best_epoch_"],
)
def test_what_would_be_refused_is_not_written(trained, path, change, reason):
    model = copy.deepcopy(trained)
    vars(model).update(change)
    for prediction_only in (False, True):
        with pytest.raises(ValueError, match=f"can't be written to a file: .*{reason}"):
            model.save(path, prediction_only=prediction_only)
    assert not path.exists()


OVERWRITE = """
import sys
data = open(sys.argv[1], "rb").read()
print("ready", flush=True)
while True:
    with open(sys.argv[1], "r+b") as file:
        file.truncate(4096)
        file.write(data)
"""


def test_a_file_that_is_overwritten_meanwhile_is_refused_or_whole(tmp_path, path):
    """In place: not replaced, as `save` does it."""
    X = np.random.default_rng(0).integers(0, 2, (20, 2000), np.uint8)
    model = small(n_epochs=1, n_clauses=100).fit(X, np.arange(20) % 3)
    model.save(path)
    process = subprocess.Popen([sys.executable, "-c", OVERWRITE, path], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "ready\n"
        for _ in range(200):
            try:
                assert_same_model(load_model(path), model)
            except ValueError as error:
                assert "can't be loaded as a model" in str(error)  # noqa: PT017
    finally:
        process.kill()
        process.communicate()


def test_a_short_message_for_a_long_name(trained, path):
    trained.save(path)
    header, arrays = contents(path)
    forge(path, changed(header, ("parameters", "x" * 1_000_000), 3), arrays)
    with pytest.raises(ValueError, match="doesn't know the parameters") as caught:
        load_model(path)
    assert len(str(caught.value)) < 2000


def mutated(data, rng):
    """The bytes with some of them changed, taken away or added; never the same."""
    data = bytearray(data)
    place = int(rng.integers(len(data))) if rng.random() < 0.5 else int(rng.integers(min(len(data), 2500)))
    match rng.integers(7):
        case 0:
            data[place] ^= 1 << int(rng.integers(8))
        case 1:
            data[place] ^= int(rng.integers(1, 256))
        case 2:
            del data[place:]
        case 3:
            del data[place : place + int(rng.integers(1, 40))]
        case 4:
            data[place:place] = rng.bytes(int(rng.integers(1, 40)))
        case 5:
            data += rng.bytes(int(rng.integers(1, 40)))
        case 6:  # a digit, which leaves the JSON whole
            digits = [i for i, byte in enumerate(data[:2500]) if 48 <= byte <= 57]
            place = digits[int(rng.integers(len(digits)))]
            data[place] = 48 + (data[place] - 48 + int(rng.integers(1, 10))) % 10
    return bytes(data)


def refuse_mutants(saved, path, seed, count):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        path.write_bytes(mutated(saved, rng))
        with pytest.raises(ValueError, match="can't be loaded as a model: "):
            load_model(path)


def test_altered_files_are_refused(saved, path):
    refuse_mutants(saved, path, 0, 200)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 6))
def test_many_altered_files_are_refused(saved, path, seed):
    refuse_mutants(saved, path, seed, 1000)


def test_a_file_cut_short_anywhere_is_refused(saved, path):
    for end in [*range(0, len(saved), 23), len(saved) - 1]:
        path.write_bytes(saved[:end])
        with pytest.raises(ValueError, match="can't be loaded as a model: "):
            load_model(path)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5) | st.sampled_from(["float", "bytes", "items", "nan", "<U3", "|O", "lazy"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2)
    | st.dictionaries(st.sampled_from(["float", "bytes", "items", "dtype", "values"]), inner, max_size=2),
    max_leaves=5,
)  # fmt: skip


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_whatever_stands_in_a_header_with_a_right_checksum_it_is_refused_or_works(trained, path, data):
    trained.save(path)
    header, arrays = contents(path)
    field = data.draw(st.sampled_from([*header]))
    keys = (field,)
    if isinstance(header[field], dict):
        keys += (data.draw(st.sampled_from([*header[field], "other_"])),)
    forge(path, changed(header, keys, data.draw(JSON)), arrays)
    try:
        loaded = load_model(path)
    except ValueError as error:
        assert "can't be loaded as a model: " in str(error)  # noqa: PT017
    else:
        assert_same_machines(loaded, trained)
        again = through_a_file(loaded, path)
        assert again.get_params() == loaded.get_params()
        assert_same_machines(again, trained)


def assert_same_machines(a, b):
    for one, other in zip(a.machines_, b.machines_, strict=True):
        assert (one.states == other.states).all()
        assert (one.weights > 0).all()
