"""Digests of small models of images, which are to be the same in every process and on every processor.

Run as a script it prints them, one line of JSON.
"""

import json

import numba

from tests.helpers.fingerprint import model_digest, votes_digest
from tests.images.conftest import crosses, small, small_fuzzy

SMALL_IMAGES = {"height": 7, "width": 8}
LARGE_IMAGES = {"height": 30, "width": 70}  # of four vectors of patches

WAYS = {
    "lazy": (SMALL_IMAGES, {}),
    "direct": (SMALL_IMAGES, {"engine": "direct"}),
    "lazy, unboosted": (SMALL_IMAGES, {"boost_true_positive": False, "positions": False, "init": "random"}),
    "direct, unboosted": (SMALL_IMAGES, {"boost_true_positive": False, "engine": "direct", "max_literals": 5}),
    "lazy, large images": (LARGE_IMAGES, {"gamma": 0.0, "n_epochs": 2}),
    "lazy, with a budget": (SMALL_IMAGES | {"n_channels": 3}, {"max_literals": 5}),
    "fuzzy, lazy": (SMALL_IMAGES | {"n_channels": 2}, {}),
    "fuzzy, direct": (SMALL_IMAGES, {"engine": "direct"}),
    "fuzzy, lazy, large images": (LARGE_IMAGES, {"n_epochs": 2, "positions": False, "init": "random"}),
}


def digests(n_jobs=1):
    """First digits of the digests of each model, and of its votes."""
    found = {}
    for way, (sizes, changes) in WAYS.items():
        X, y = crosses(200, 0, **sizes)
        make = small_fuzzy if way.startswith("fuzzy") else small
        model = make(n_jobs=n_jobs, **changes).fit(X, y)
        found[way] = [model_digest(model)[:16], votes_digest(model, X)[:16]]
    return found


if __name__ == "__main__":
    print(json.dumps({"processor": numba.config.CPU_NAME, "digests": digests()}))
