"""Compare `wtm.WTMRegressor` with other regressors, and choose its defaults by cross-validation."""
