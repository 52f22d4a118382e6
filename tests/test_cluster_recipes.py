"""The recipes of docs/scale.md for Ray and Spark; `pytest -m slow -rP tests/test_cluster_recipes.py` prints times.

They need ray and pyspark with joblibspark, which no extra installs; Spark also needs Java.
"""

import shutil
import time

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits

import wtm
from tests.helpers.fits import assert_same_fit
from wtm import WTMClassifier

pytestmark = pytest.mark.slow
pytest.importorskip("pyarrow")

PIXELS, LABELS = load_digits(return_X_y=True, as_frame=True)


def digits():
    return WTMClassifier(n_clauses=20, T=10, s=4, n_epochs=2, random_state=0)


@pytest.fixture(scope="module")
def in_threads():
    return digits().fit(PIXELS, LABELS)


@pytest.fixture
def files(tmp_path, in_threads):
    """A folder with the model and the rows in Parquet."""
    PIXELS.to_parquet(tmp_path / "rows.parquet")
    in_threads.save(tmp_path / "model.wtm")
    return tmp_path


def timed(name, work):
    start = time.perf_counter()
    result = work()
    print(f"{name}: {time.perf_counter() - start:.1f} s")
    return result


def fit_in(backend):
    with joblib.parallel_config(backend, n_jobs=2):
        return digits().fit(PIXELS, LABELS)


def assert_fits_are_those_of_threads(backend, in_threads):
    timed("threads", lambda: digits().fit(PIXELS, LABELS))
    for name in ("first fit", "second fit"):
        assert_same_fit(timed(name, lambda: fit_in(backend)), in_threads)


def test_ray(in_threads, files, monkeypatch):
    monkeypatch.setenv("RAY_worker_niceness", "0")
    ray = pytest.importorskip("ray", reason="needs ray")
    pytest.importorskip("ray.data", reason="needs ray[data]")
    from ray.util.joblib import register_ray

    class Predict:
        def __init__(self, path):
            self.clf = wtm.load_model(path)

        def __call__(self, table):
            return table.append_column("label", [self.clf.predict(table)])

    print("ray", ray.__version__)
    timed("start", lambda: ray.init(num_cpus=2, include_dashboard=False))
    try:
        register_ray()
        assert_fits_are_those_of_threads("ray", in_threads)
        rows = ray.data.read_parquet(str(files / "rows.parquet"))
        options = {"fn_constructor_args": [str(files / "model.wtm")], "batch_format": "pyarrow", "concurrency": 1}
        labelled = rows.map_batches(Predict, **options)
        timed("prediction", lambda: labelled.write_parquet(str(files / "labelled")))
    finally:
        ray.shutdown()
    found = pd.read_parquet(files / "labelled")
    assert len(found) == len(PIXELS)
    assert (found["label"] == in_threads.predict(found.drop(columns="label"))).all()


@pytest.mark.skipif(shutil.which("java") is None, reason="needs Java")
def test_spark(in_threads, files):
    pyspark = pytest.importorskip("pyspark", reason="needs pyspark")
    joblibspark = pytest.importorskip("joblibspark", reason="needs joblibspark")
    from pyspark.sql import SparkSession

    print("pyspark", pyspark.__version__)
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    spark = timed("start", builder.getOrCreate)
    try:
        joblibspark.register_spark()
        assert_fits_are_those_of_threads("spark", in_threads)
        model = spark.sparkContext.broadcast(in_threads)

        def predict(batches):
            for batch in batches:
                yield batch.assign(label=model.value.predict(batch))

        rows = spark.read.parquet(str(files / "rows.parquet"))
        schema = ", ".join([*(f"{name} double" for name in rows.columns), "label long"])
        found = timed("prediction", rows.mapInPandas(predict, schema).toPandas)
    finally:
        spark.stop()
    assert np.array_equal(found["label"], in_threads.predict(PIXELS))
