import gzip
import struct
import warnings
from urllib.error import URLError

import numpy as np
import pytest

from wtm import datasets
from wtm.datasets import DatasetNotFoundError, images

IMAGE_FILES = ("train-images-idx3", "train-labels-idx1", "t10k-images-idx3", "t10k-labels-idx1")


@pytest.fixture(autouse=True)
def no_network_and_no_folder(monkeypatch):
    """No test depends on the caller's WTM_DATA (the fixture data_dir apart) or on a network."""

    def fail(*_, **__):
        pytest.fail("tried to download")

    monkeypatch.delenv("WTM_DATA", raising=False)
    monkeypatch.setattr(images, "fetch_openml", fail)


def idx(magic, shape, values):
    return struct.pack(f">{1 + len(shape)}I", magic, *shape) + bytes(values)


def write_images(folder, changes=(), *, compressed=True):
    """Write two 2x2 training images and one test image; `changes` replaces files' contents."""
    contents = {
        "train-images-idx3": idx(2051, (2, 2, 2), [0, 76, 77, 255, 78, 0, 75, 77]),
        "train-labels-idx1": idx(2049, (2,), [7, 0]),
        "t10k-images-idx3": idx(2051, (1, 2, 2), [77, 0, 0, 76]),
        "t10k-labels-idx1": idx(2049, (1,), [9]),
    } | dict(changes)
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in contents.items():
        path = folder / f"{name}-ubyte{'.gz' if compressed else ''}"
        path.write_bytes(gzip.compress(content) if compressed else content)
    return folder


@pytest.mark.parametrize("compressed", [True, False])
@pytest.mark.parametrize("subfolder", [".", "mnist"])
def test_images_are_read_and_cut_at_77(tmp_path, subfolder, compressed):
    write_images(tmp_path / subfolder, compressed=compressed)
    loaded = datasets.load_mnist(tmp_path)
    np.testing.assert_array_equal(loaded.X_train, [[0, 0, 1, 1], [1, 0, 0, 1]])
    np.testing.assert_array_equal(loaded.X_test, [[1, 0, 0, 0]])
    np.testing.assert_array_equal(loaded.y_train, [7, 0])
    np.testing.assert_array_equal(loaded.y_test, [9])
    assert loaded.X_train.dtype == np.uint8
    assert loaded.y_train.dtype == np.int64
    assert loaded.feature_names == tuple(f"pixel ({r}, {c}) >= 77" for r in (0, 1) for c in (0, 1))
    assert loaded.name == "MNIST"


def test_images_are_cut_at_another_grey_value(tmp_path):
    write_images(tmp_path)
    loaded = datasets.load_mnist(tmp_path, threshold=78)
    np.testing.assert_array_equal(loaded.X_train, [[0, 0, 0, 1], [1, 0, 0, 0]])
    assert loaded.feature_names[0] == "pixel (0, 0) >= 78"
    for threshold in (0, 256):
        with pytest.raises(ValueError, match=f"threshold must be between 1 and 255, got {threshold}"):
            datasets.load_mnist(tmp_path, threshold=threshold)


def test_images_are_found_through_the_environment(tmp_path, monkeypatch):
    write_images(tmp_path / "fashion-mnist")
    monkeypatch.setenv("WTM_DATA", str(tmp_path))
    loaded = datasets.load_fashion_mnist()
    assert loaded.name == "Fashion-MNIST"
    assert loaded.target_names[loaded.y_test[0]] == "Ankle boot"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("train-images-idx3", idx(2049, (2, 2, 2), range(8)), "starts with the number 2049, not 2051"),
        ("t10k-labels-idx1", idx(2051, (1,), [9]), "starts with the number 2051, not 2049"),
        ("train-images-idx3", idx(2051, (2, 2, 2), range(7)), "truncated: 7 values, .* that is 8"),
        ("train-images-idx3", idx(2051, (2, 2, 2), range(9)), "too long: 9 values, .* that is 8"),
        ("t10k-images-idx3", b"\0\0\x08\x03\0", "truncated: 5 bytes, but its header alone takes 16"),
        ("t10k-labels-idx1", b"", "truncated: 0 bytes, but its header alone takes 8"),
        ("train-labels-idx1", idx(2049, (3,), [1, 2, 3]), "has 3 labels"),
        ("train-labels-idx1", idx(2049, (2,), [1, 10]), "has the label 10, but MNIST has 0 to 9"),
        ("t10k-images-idx3", idx(2051, (1, 1, 4), [1, 2, 3, 4]), r"of shape \(1, 4\)"),
    ],
)
def test_wrong_image_files_are_named(tmp_path, name, content, message):
    write_images(tmp_path, {name: content})
    with pytest.raises(ValueError, match=message) as caught:
        datasets.load_mnist(tmp_path)
    assert f"{name}-ubyte.gz" in str(caught.value)


@pytest.mark.parametrize("damage", [lambda content: content[:-9], lambda content: b"no gzip" + content])
def test_damaged_compressed_file_is_named(tmp_path, damage):
    path = write_images(tmp_path) / "train-images-idx3-ubyte.gz"
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(ValueError, match=r"train-images-idx3-ubyte\.gz is truncated or not a valid gzip file"):
        datasets.load_mnist(tmp_path)


def test_missing_images_in_a_named_folder_are_not_downloaded(tmp_path):
    write_images(tmp_path)
    (tmp_path / "t10k-labels-idx1-ubyte.gz").unlink()
    with pytest.raises(DatasetNotFoundError) as caught:
        datasets.load_mnist(tmp_path)
    message = str(caught.value)
    for part in ("MNIST", str(tmp_path), str(tmp_path / "mnist"), "data_dir", "WTM_DATA", *IMAGE_FILES):
        assert part in message


@pytest.mark.parametrize("error", [URLError("no route to host"), TimeoutError("too slow"), ValueError("gone")])
def test_missing_images_without_a_network(tmp_path, monkeypatch, error):
    def fail(*_, **__):
        raise error

    monkeypatch.setenv("WTM_DATA", str(tmp_path))
    monkeypatch.setattr(images, "fetch_openml", fail)
    with pytest.raises(DatasetNotFoundError) as caught:
        datasets.load_fashion_mnist()
    for part in ("Fashion-MNIST", str(tmp_path / "fashion-mnist"), "data_dir", "WTM_DATA", str(error)):
        assert part in str(caught.value)


def downloaded(counts):
    """Make a stand-in for fetch_openml, with `counts` images of each class, then 10,000 of class 0."""
    labels = np.concatenate([np.repeat(np.arange(len(counts)), counts), np.zeros(10_000, dtype=int)])
    pixels = np.zeros((len(labels), 784))
    pixels[-1] = np.arange(784) % 256

    def fetch(name, version, **_):
        assert (name, version) == ("Fashion-MNIST", 1)
        return pixels, labels.astype(str)

    return fetch


def test_downloaded_images(monkeypatch):
    monkeypatch.setattr(images, "fetch_openml", downloaded([6_000] * 10))
    loaded = datasets.load_fashion_mnist()
    assert loaded.X_train.shape == (60_000, 784)
    assert loaded.X_test.shape == (10_000, 784)
    assert loaded.y_train.dtype == np.int64
    assert np.bincount(loaded.y_train).tolist() == [6_000] * 10
    assert not loaded.X_test[:-1].any()
    np.testing.assert_array_equal(loaded.X_test[-1], np.arange(784) % 256 >= 77)


def test_download_in_another_order_is_refused(monkeypatch):
    monkeypatch.setattr(images, "fetch_openml", downloaded([5_999, 6_001] + [6_000] * 8))
    with pytest.raises(ValueError, match="unknown order"):
        datasets.load_fashion_mnist()


def test_real_mnist(real_data):
    data_dir = real_data("mnist")
    loaded = datasets.load_mnist(data_dir)
    assert loaded.X_train.shape == (60_000, 784)
    assert loaded.X_test.shape == (10_000, 784)
    assert loaded.y_train[:5].tolist() == [5, 0, 4, 1, 9]
    assert round(loaded.X_train.mean(), 4) == 0.1511
    assert round(loaded.X_test.mean(), 4) == 0.1528
    assert tuple(np.bincount(loaded.y_train).tolist()) == images._MNIST.train_counts


def test_real_fashion_mnist(real_data):
    data_dir = real_data("fashion-mnist")
    loaded = datasets.load("fashion-mnist", data_dir)
    assert loaded.X_train.shape == (60_000, 784)
    assert np.bincount(loaded.y_train).tolist() == [6_000] * 10
    assert np.bincount(loaded.y_test).tolist() == [1_000] * 10


def test_one_image_set_is_not_taken_for_the_other(real_data):
    # Both have the same file names, so only the labels differ.
    with pytest.raises(ValueError, match="belongs to MNIST, not to Fashion-MNIST"):
        datasets.load_fashion_mnist(real_data("mnist") / "mnist")


def test_a_download_that_fails_warns_of_nothing_and_says_so_once(monkeypatch, recwarn):
    def fail(*arguments, **options):
        warnings.warn("A network error occurred while downloading. Retrying...", stacklevel=2)
        raise OSError("no network")

    monkeypatch.delenv("WTM_DATA", raising=False)
    monkeypatch.setattr(images, "fetch_openml", fail)
    with pytest.raises(DatasetNotFoundError, match="The download from OpenML failed as well: no network"):
        datasets.load_mnist()
    assert not recwarn.list
