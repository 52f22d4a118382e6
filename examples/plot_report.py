"""
A page to hand out
==================

A model as one HTML file, for readers without Python: they sort and search the rules, and change the values of a row to
see what the model would say.
"""

# %%
from sklearn.datasets import load_iris
from sklearn.model_selection import train_test_split

from wtm import WTMClassifier
from wtm.report_page import to_html

X, species = load_iris(return_X_y=True, as_frame=True)
y = species.map(dict(enumerate(load_iris().target_names)))
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)
clf = WTMClassifier.readable(n_clauses=20, T=8, random_state=0).fit(X_train, y_train)
page = to_html(clf, X_test, y_test)
print(len(page) // 1000, "kB")

# %%
# Save it with ``Path("iris.html").write_text(page, encoding="utf-8")`` and open it in a browser. Here it is:
from html import escape


class Framed:
    """A page within this one: notebooks and this site show what ``_repr_html_`` returns."""

    def _repr_html_(self):
        return f'<iframe title="Report of a model" srcdoc="{escape(page)}" style="width: 100%; height: 40rem"></iframe>'


Framed()
