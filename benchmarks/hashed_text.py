"""What the columns that never occur in hashed text cost: 2**20 columns next to the few that occur.

    python -m benchmarks.hashed_text [--rounds K]

The documents are made up. "wide" is what scikit-learn's HashingVectorizer returns, as weights of words or as 0 and 1;
"narrow" is the same matrix without the columns that are zero in all training documents. The models are the same.
Seconds are medians over the rounds, in which the two take turns; the ratio is the median of the ratios of a round.
"""

import argparse
import tempfile
import time
import tracemalloc
from pathlib import Path

import numpy as np
from sklearn.feature_extraction.text import HashingVectorizer

from wtm import WTMClassifier, load_model

N_DOCUMENTS, N_WORDS, WORDS_PER_DOCUMENT = 1000, 663, 20
VECTORIZERS = {
    "weights": HashingVectorizer(),
    "0 and 1": HashingVectorizer(binary=True, alternate_sign=False, norm=None),
}


def documents():
    """Documents of two classes, which differ in how often they have the first words."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, N_DOCUMENTS)
    shares = np.ones((2, N_WORDS))
    shares[0, :20] += 20
    shares[1, 20:40] += 20
    shares /= shares.sum(axis=1, keepdims=True)
    drawn = [rng.choice(N_WORDS, WORDS_PER_DOCUMENT, p=shares[label]) for label in labels]
    return [" ".join(f"word{i}" for i in words) for words in drawn], labels


def measure(X, y, path):
    """Seconds, bytes and peak memory of each step with a table."""
    clf = WTMClassifier(n_clauses=20, T=10, n_epochs=10, random_state=0)
    found = {"fit, s": seconds(lambda: clf.fit(X, y))}
    found["partial_fit, s"] = seconds(lambda: clf.partial_fit(X, y))
    clf.save(path)
    found["file, kB"] = path.stat().st_size / 1000
    clf.save(path, prediction_only=True)
    found["file for prediction only, kB"] = path.stat().st_size / 1000
    found["load, s"] = seconds(lambda: load_model(path))
    loaded, row = load_model(path), X[:1]
    loaded.predict(row)
    found["predict a document, ms"] = 1000 * min(seconds(lambda: loaded.predict(row)) for _ in range(20))
    tracemalloc.start()
    loaded.predict(row)
    found["peak memory of that, kB"] = tracemalloc.get_traced_memory()[1] / 1000
    tracemalloc.stop()
    return found, clf.class_sums(X)


def seconds(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def compare(wide, y, rounds):
    """The measurements of the wide and the narrow table, round by round."""
    narrow = wide[:, np.unique(wide.indices)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        measure(narrow, y, path)  # loads the kernels
        pairs = []
        for _ in range(rounds):
            (of_wide, sums), (of_narrow, sums_of_narrow) = measure(wide, y, path), measure(narrow, y, path)
            assert (sums == sums_of_narrow).all()
            pairs.append((of_wide, of_narrow))
    return pairs


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args(arguments).rounds
    texts, y = documents()
    for kind, vectorizer in VECTORIZERS.items():
        wide = vectorizer.transform(texts)
        n_occurring = len(np.unique(wide.indices))
        print(f"{kind}: {len(y):,} documents, {wide.shape[1]:,} columns, of which {n_occurring:,} occur")
        pairs = compare(wide, y, rounds)
        print(f"{'':30}{'wide':>10}{'narrow':>10}{'ratio':>8}")
        for name in pairs[0][0]:
            a, b = (np.array([pair[i][name] for pair in pairs]) for i in (0, 1))
            print(f"{name:30}{np.median(a):10.3f}{np.median(b):10.3f}{np.median(a / b):8.2f}")


if __name__ == "__main__":
    main()
