"""
Predict a number
================

``WTMRegressor`` learns rules that add to a prediction or subtract from it.
"""

# %%
# How a disease progresses
# ------------------------
#
# The diabetes data: ten columns of 442 patients, and the progression of the disease after a year, from 25 to 346.
from sklearn.datasets import load_diabetes
from sklearn.linear_model import RidgeCV
from sklearn.metrics import root_mean_squared_error
from sklearn.model_selection import train_test_split

from wtm import WTMRegressor

X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
reg = WTMRegressor(n_clauses=200, T=50, random_state=0).fit(X_train, y_train)
for name, model in [("rules", reg), ("ridge regression", RidgeCV().fit(X_train, y_train))]:
    print(f"{name}: root mean squared error {root_mean_squared_error(y_test, model.predict(X_test)):.1f}")

# %%
# Its rules
# ---------
reg.rules(X_test)[:5]

# %%
# One prediction
# --------------
print(reg.explain(X_test[:1])[0])

# %%
# Predictions against measurements
# --------------------------------
from sklearn.metrics import PredictionErrorDisplay

PredictionErrorDisplay.from_estimator(reg, X_test, y_test, kind="actual_vs_predicted")
