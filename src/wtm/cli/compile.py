"""``wtm compile``: compile the kernels by calling them."""

import warnings

import numpy as np
import scipy.sparse as sp
import typer

from wtm.classifier import WTMClassifier
from wtm.conv_classifier import ConvolutionalWTMClassifier
from wtm.fuzzy_classifier import FuzzyWTMClassifier
from wtm.fuzzy_conv_classifier import FuzzyConvolutionalWTMClassifier
from wtm.kernels.kernel_cache import cache_folder


def compile_kernels() -> None:
    """Compile all kernels that a user of the package meets, and print where they are kept."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of trainings that are too short to learn
        warnings.simplefilter("error", RuntimeWarning)  # of a folder that can't be written
        try:
            call_kernels()
        except RuntimeWarning as warning:
            raise OSError(str(warning)) from None
    typer.echo(f"The kernels are compiled and kept in {cache_folder()}")


def call_kernels() -> None:
    """Call each kernel. The types of its arguments are the same for all data and parameters."""
    X = np.arange(24).reshape(12, 2) % 3 > 0
    y = X[:, 0]
    for engine in ("direct", "lazy"):
        for n_shards in (1, 2):
            clf = WTMClassifier(4, T=1, n_epochs=1, engine=engine, n_shards=n_shards, random_state=0).fit(X, y)
            FuzzyWTMClassifier(4, T=1, n_epochs=1, engine=engine, n_shards=n_shards, random_state=0).fit(X, y)
        for kind in (ConvolutionalWTMClassifier, FuzzyConvolutionalWTMClassifier):
            images = kind(4, T=1, n_epochs=1, patch_shape=(1, 1), engine=engine, random_state=0)
            images.fit(X.reshape(12, 1, 2), y)
    clf.predict(sp.csr_array(X))
    clf.rules(X, y)
    clf.explain(X)
    clf.simplify(X)
    clf.prune(X, y, n_rules=1)
