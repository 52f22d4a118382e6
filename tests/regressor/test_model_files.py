"""Model files of regressors."""

import numpy as np
import pytest
from safetensors.numpy import load_file

from tests.regressor.conftest import small
from wtm import WTMRegressor, load_model
from wtm.loading import load_classifier


@pytest.mark.parametrize("average_last", [1, 3])
def test_a_file_keeps_what_training_and_prediction_need(bits, tmp_path, average_last):
    X, y = bits
    model = small(average_last=average_last).fit(X, y)
    model.save(tmp_path / "model")
    read = load_model(tmp_path / "model")
    assert isinstance(read, WTMRegressor)
    assert read.get_params() == model.get_params()
    assert (read.predict(X) == model.predict(X)).all()
    assert (read.y_range_ == model.y_range_).all()
    assert (read.n_outputs_, read.y_ndim_, read.history_) == (1, 1, model.history_)
    for trained in (read, model):
        trained.partial_fit(X, y)
    assert (read.predict(X) == model.predict(X)).all()
    read.save(tmp_path / "again")
    model.save(tmp_path / "expected")
    arrays, expected = load_file(tmp_path / "again"), load_file(tmp_path / "expected")
    assert arrays.keys() == expected.keys()
    assert all((arrays[name] == expected[name]).all() for name in expected)


def test_a_file_for_prediction_predicts_the_same(bits, tmp_path):
    X, y = bits
    model = small().fit(X, np.stack([y, -y], axis=1))
    model.save(tmp_path / "model", prediction_only=True)
    read = load_model(tmp_path / "model")
    assert (read.predict(X) == model.predict(X)).all()
    assert list(map(str, read.rules())) == list(map(str, model.rules()))
    with pytest.raises(ValueError, match="can't be trained further"):
        read.partial_fit(X, np.stack([y, -y], axis=1))
    read.save(tmp_path / "again", prediction_only=True)
    assert (load_model(tmp_path / "again").predict(X) == model.predict(X)).all()


def test_programs_for_classifiers_refuse_it(fitted, tmp_path):
    fitted.save(tmp_path / "model")
    with pytest.raises(ValueError, match="holds a WTMRegressor, and this is for a WTMClassifier"):
        load_classifier(tmp_path / "model")


def test_a_subclass_is_refused(bits, tmp_path):
    class Own(WTMRegressor):
        pass

    with pytest.raises(TypeError, match="save can only write a WTMRegressor, got the subclass Own"):
        Own(**small().get_params()).fit(*bits).save(tmp_path / "model")
