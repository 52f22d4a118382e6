"""Digests of small models, which are to be the same in every process and on every processor.

Run as a script it prints them, one line of JSON: this is how `test_sameness` sees other processes, and how
the stored ones are renewed.
"""

import hashlib
import json
import sys

import numba

from tests.helpers.problems import small, three_classes
from wtm.machine.machine_parameters import ENGINES

WAYS = {f"{engine}, boosted": {"engine": engine} for engine in ENGINES} | {
    f"{engine}, unboosted from a random start": {
        "engine": engine, "boost_true_positive": False, "init": "random", "n_states": 100, "gamma": 0.5, "T": 20,
    }
    for engine in ENGINES
} | {
    f"direct, {sampler}": {"engine": "direct", "sampler": sampler, "gamma": 0.0}
    for sampler in ("binomial", "bernoulli")
} | {
    f"{engine}, with a budget": {"engine": engine, "max_literals": 5} for engine in ENGINES
}  # fmt: skip


def model_digest(model):
    """SHA-256 of all automata and exponents, in little-endian order."""
    sha = hashlib.sha256()
    for machine in model.machines_:
        sha.update(machine.states.astype("<u1").tobytes())
        sha.update(machine.exponents.astype("<i4").tobytes())
    return sha.hexdigest()


def votes_digest(model, X):
    """SHA-256 of the sums on X, in little-endian order."""
    return hashlib.sha256(model.class_sums(X).astype("<f8").tobytes()).hexdigest()


def digests(n_jobs):
    """Digests of the model and of its votes, for one small model in each of the ways."""
    X, y = three_classes(700, 37)
    found = {}
    for name, changes in WAYS.items():
        model = small(n_clauses=12, n_epochs=2, n_jobs=n_jobs, **changes).fit(X, y)
        found[name] = {"model": model_digest(model), "votes": votes_digest(model, X)}
    return found


if __name__ == "__main__":
    found = digests(n_jobs=int(sys.argv[1]) if len(sys.argv) > 1 else 1)
    print(json.dumps({"processor": numba.config.CPU_NAME, "digests": found}, indent=4))
