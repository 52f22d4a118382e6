"""Model files for tests: a small one, and what is in it."""

import json

import numpy as np
import safetensors

from tests.helpers.problems import small, three_classes
from wtm import load_model
from wtm.modelfile import container


def trained_model():
    """A model with labels of several lengths and with validation data."""
    X, y = three_classes()
    return small(n_epochs=2).fit(X, np.array(["no", "yes", "maybe so"])[y], X_val=X[:9], y_val=["no"] * 9)


def through_a_file(model, path, **options):
    model.save(path, **options)
    return load_model(path)


def contents(path):
    """Header and arrays of a file, as any reader of safetensors sees them."""
    with safetensors.safe_open(path, framework="numpy") as file:
        return json.loads(file.metadata()["wtm"]), {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118


def forge(path, header, arrays):
    """Write a file with any contents and the right checksum."""
    container.write_file(path, {key: value for key, value in header.items() if key != "sha256"}, arrays)


def changed(header, keys, value):
    """The header with another value at the end of `keys`."""
    header = json.loads(json.dumps(header))
    at = header
    for key in keys[:-1]:
        at = at[key]
    at[keys[-1]] = value
    return header
