import gzip
import random
from collections import Counter
from importlib.resources import files

import numpy as np
import pytest

from wtm import datasets
from wtm.datasets import DatasetNotFoundError
from wtm.datasets.connect4 import SQUARES

# Connect-4


@pytest.fixture(scope="module")
def connect_4():
    return datasets.load_connect_4()


def rows(*matrices):
    return Counter(row.tobytes() for matrix in matrices for row in np.packbits(matrix, axis=1))


def test_connect_4_has_the_papers_shapes_and_counts(connect_4):
    assert connect_4.X_train.shape == (60_802, 84)
    assert connect_4.X_test.shape == (6_755, 84)
    assert connect_4.X_train.dtype == connect_4.X_test.dtype == np.uint8
    test = Counter(connect_4.y_test.tolist())
    assert test == {"win": 4_402, "loss": 1_710, "draw": 643}
    assert test + Counter(connect_4.y_train.tolist()) == {"win": 44_473, "loss": 16_635, "draw": 6_449}
    assert connect_4.target_names == tuple(np.unique(connect_4.y_train))


def test_connect_4_has_four_pieces_per_player_on_different_squares(connect_4):
    X = np.vstack([connect_4.X_train, connect_4.X_test])
    x, o = X[:, :42], X[:, 42:]
    assert set(np.unique(X)) == {0, 1}
    assert np.all(x.sum(axis=1) == 4)
    assert np.all(o.sum(axis=1) == 4)
    assert not np.any(x & o)


def test_connect_4_has_no_piece_on_air(connect_4):
    taken = (connect_4.X_train[:, :42] | connect_4.X_train[:, 42:]).reshape(-1, 7, 6)
    assert np.all(taken[:, :, :-1] >= taken[:, :, 1:])


def test_connect_4_feature_names(connect_4):
    assert len(SQUARES) == 42
    assert len(set(connect_4.feature_names)) == 84
    assert connect_4.feature_names[:2] == ("x on a1", "x on a2")
    assert connect_4.feature_names[6] == "x on b1"
    assert connect_4.feature_names[42] == "o on a1"
    assert connect_4.feature_names[-1] == "o on g6"


def packaged_rows():
    content = files("wtm.datasets").joinpath("data", "connect-4.data.gz").read_bytes()
    return [row.split(",") for row in gzip.decompress(content).decode().splitlines()]


def paper_test_rows():
    return random.Random(0).sample(range(67_557), 6_755)


def test_connect_4_bits_are_those_of_the_file(connect_4):
    file = packaged_rows()
    for bits, label, row in zip(connect_4.X_test, connect_4.y_test, paper_test_rows(), strict=True):
        *cells, expected = file[row]
        assert label == expected
        pieces = {f"{cell} on {square}" for cell, square in zip(cells, SQUARES, strict=True) if cell != "b"}
        assert pieces == {connect_4.feature_names[i] for i in np.flatnonzero(bits)}


def test_connect_4_paper_split_trains_on_the_other_rows_in_file_order(connect_4):
    labels = np.array([row[-1] for row in packaged_rows()])
    np.testing.assert_array_equal(connect_4.y_train, np.delete(labels, paper_test_rows()))


@pytest.mark.parametrize("split", ["paper", "random"])
def test_connect_4_parts_are_disjoint_and_complete(split):
    # All positions in the data set differ.
    loaded = datasets.load_connect_4(split)
    counts = rows(loaded.X_train, loaded.X_test)
    assert len(counts) == 67_557
    assert set(counts.values()) == {1}
    assert len(loaded.y_train) == len(loaded.X_train) == 60_802
    assert len(loaded.y_test) == len(loaded.X_test) == 6_755


def test_connect_4_random_split_follows_its_seed(connect_4):
    first, again, other = (datasets.load_connect_4("random", random_state=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.X_test, again.X_test)
    np.testing.assert_array_equal(first.y_train, again.y_train)
    assert rows(first.X_test) != rows(other.X_test)
    assert rows(first.X_test) != rows(connect_4.X_test)


def test_connect_4_rejects_an_unknown_split():
    with pytest.raises(ValueError, match="split must be 'paper' or 'random', got 'uci'"):
        datasets.load_connect_4("uci")


# Noisy XOR


def test_real_noisy_xor(real_data):
    data_dir = real_data("noisy-xor")
    loaded = datasets.load_noisy_xor(data_dir)
    assert loaded.X_train.shape == loaded.X_test.shape == (5_000, 12)
    np.testing.assert_array_equal(loaded.X_test[:, 0] ^ loaded.X_test[:, 1], loaded.y_test)
    agreeing = loaded.X_train[:, 0] ^ loaded.X_train[:, 1] == loaded.y_train
    assert round(agreeing.mean(), 3) == 0.603


def write_xor(folder, train="0 1 1\n1 1 0\n", test="1 0 1\n"):
    (folder / "NoisyXORTrainingData.txt").write_text(train)
    (folder / "NoisyXORTestData.txt").write_text(test)
    return folder


def test_noisy_xor_reads_bits_and_label(tmp_path):
    loaded = datasets.load_noisy_xor(write_xor(tmp_path))
    assert loaded.X_train.tolist() == [[0, 1], [1, 1]]
    assert loaded.y_train.tolist() == [1, 0]
    assert loaded.X_test.tolist() == [[1, 0]]
    assert loaded.feature_names == ("bit 0 = 1", "bit 1 = 1")


@pytest.mark.parametrize("train", ["0 1 2\n", "0 1 1\n0 1\n", "0 one 1\n", "0 300 1\n", ""])
def test_noisy_xor_rejects_other_tables(tmp_path, train):
    with pytest.raises(ValueError, match=r"NoisyXORTrainingData\.txt is not a table of 0 and 1"):
        datasets.load_noisy_xor(write_xor(tmp_path, train))


def test_noisy_xor_rejects_parts_of_different_width(tmp_path):
    with pytest.raises(ValueError, match=r"has 3 columns, but .* has 4"):
        datasets.load_noisy_xor(write_xor(tmp_path, test="0 1 1 0\n"))


# All


def test_load_knows_every_name(tmp_path):
    assert datasets.load("connect-4").name == "Connect-4"
    for name in set(datasets.NAMES) - {"connect-4"}:
        with pytest.raises(DatasetNotFoundError, match=str(tmp_path / name)):
            datasets.load(name, tmp_path)
    with pytest.raises(ValueError, match=r"name must be one of connect-4, mnist, .* got 'iris'"):
        datasets.load("iris")


def test_without_any_folder_the_error_says_so(monkeypatch):
    monkeypatch.delenv("WTM_DATA", raising=False)
    with pytest.raises(DatasetNotFoundError, match="WTM_DATA is not set"):
        datasets.load_noisy_xor()
    assert issubclass(DatasetNotFoundError, FileNotFoundError)


def test_dataset_is_frozen_and_prints_short(connect_4):
    with pytest.raises(AttributeError):
        connect_4.name = "other"
    assert len(repr(connect_4)) < 300
