"""scikit-learn's own checks, all of them and without exceptions."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from wtm import Booleanizer, WTMClassifier, WTMRegressor


@parametrize_with_checks(
    [WTMClassifier(), WTMRegressor(), Booleanizer(), Booleanizer(2, sparse_output=True, thresholds=[0.5])]
)
def test_scikit_learns_checks_pass(estimator, check):
    check(estimator)
