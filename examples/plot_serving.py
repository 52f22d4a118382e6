"""
Save a model, and serve it
==========================

A model file for Python, and source code for programs without wtm. Both predict the same, bit for bit.
"""

# %%
# A small model
# -------------
import tempfile
from pathlib import Path

import pandas as pd

from wtm import WTMClassifier, load_model

people = pd.DataFrame(
    {
        "age": [22, 25, 31, 38, 42, 47, 53, 60] * 25,
        "city": ["Bergen", "Oslo", "Oslo", "Bergen", "Tromsø", "Oslo", "Bergen", "Oslo"] * 25,
    }
)
buys = ["yes" if age > 40 or city == "Bergen" else "no" for age, city in people.to_numpy()]
clf = WTMClassifier.readable(n_clauses=10, T=4, random_state=0).fit(people, buys)
clf.rules()

# %%
# A file for Python
# -----------------
#
# The file holds no code. With ``prediction_only=True`` it leaves out what only further training needs.
folder = Path(tempfile.mkdtemp())
clf.save(folder / "buyers.safetensors", prediction_only=True)
model = load_model(folder / "buyers.safetensors")
print(model.predict(people[:3]), (folder / "buyers.safetensors").stat().st_size, "bytes")

# %%
# A web service
# -------------
#
# One row takes about a tenth of a millisecond, so any web framework will do. This one is in Python's standard library:
# the answer to a question in JSON is the class and its probability. ``reindex`` puts the values into the order of the
# training; those that the question leaves out are missing.
import io
import json


def answer(environ, start_response):
    """Predict the row in the body of a request (WSGI)."""
    body = environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]))
    row = pd.DataFrame([json.loads(body)]).reindex(columns=model.feature_names_in_)
    probability = model.predict_proba(row)[0]
    start_response("200 OK", [("Content-Type", "application/json")])
    best = probability.argmax()
    return [json.dumps({"buys": model.classes_[best], "probability": round(probability[best], 3)}).encode()]


# wsgiref.simple_server.make_server("", 8000, answer).serve_forever() would serve it; here is one call:
request = json.dumps({"city": "Bergen", "age": 29}).encode()
response = answer({"wsgi.input": io.BytesIO(request), "CONTENT_LENGTH": len(request)}, lambda status, headers: None)
print(response[0].decode())

# %%
# Source code for programs without wtm
# ------------------------------------
#
# A Python module without imports of wtm or NumPy; :func:`wtm.export.to_c`, :func:`~wtm.export.to_sql` and others write
# C, SQL, JSON, ONNX and Verilog.
from wtm.export import to_python, to_sql

source = to_python(clf)
scope = {}
exec(source, scope)
print(scope["predict"]({"age": 29, "city": "Bergen"}))

# %%
# In a database, the model is a query. Its first and last lines:
lines = to_sql(clf, table="people").splitlines()
print("\n".join([*lines[:6], "…", *lines[-5:]]))
