import json

import numpy as np
import pandas as pd
import pytest

from wtm import WTMClassifier
from wtm.datasets import load_mnist
from wtm.report_page import to_html

pytestmark = pytest.mark.slow


def test_mushrooms_have_the_decision_function_of_the_classifier(real_data, show):
    path = real_data("mushroom") / "mushroom" / "agaricus-lepiota.data.gz"
    frame = pd.read_csv(path, header=None, na_values="?")
    frame.columns = [f"c{i}" for i in frame.columns]
    y = frame.pop("c0")
    clf = WTMClassifier(n_epochs=5, random_state=0).fit(frame, y)
    page = show(to_html(clf, frame, y))
    used = page.run("columns.map((column) => column.name)")
    rows = json.loads(frame[used].to_json(orient="values"))
    assert page.run(f"{json.dumps(rows)}.map(classSums)") == clf.decision_function(frame).reshape(-1, 1).tolist()


def test_digits_have_the_class_sums_of_the_classifier(real_data, show):
    data = load_mnist(data_dir=real_data("mnist"))
    clf = WTMClassifier(n_epochs=1, random_state=0, n_jobs=-1).fit(data.X_train[:10_000], data.y_train[:10_000])
    X, y = data.X_test[:1000], data.y_test[:1000]
    text = to_html(clf, X, y, image_shape=(28, 28))
    assert len(text) < 2_000_000
    page = show(text)
    used = page.run("columns.map((column) => column.position)")
    found = page.run(f"{json.dumps(np.asarray(X)[:, used].astype(int).tolist())}.map(classSums)")
    assert found == clf.class_sums(X).tolist()
