import gzip
import json

import numpy as np
import pytest
from scipy import sparse

from wtm import datasets
from wtm.datasets import DatasetNotFoundError

REVIEWS = {
    "train.jsonl": [(0, "A bad film.<br />It's a waste!"), (1, "A good film, it's a joy")] * 10,
    "test.jsonl": [(1, "A joy"), (0, "what an unseen waste")],
}


def write_reviews(folder, reviews=None):
    folder.mkdir(exist_ok=True)
    for name, rows in (reviews or REVIEWS).items():
        lines = "".join(json.dumps({"label": label, "text": text}) + "\n" for label, text in rows)
        (folder / f"{name}.gz").write_bytes(gzip.compress(lines.encode()))
    return folder


def dense(matrix):
    assert sparse.issparse(matrix)
    assert matrix.format == "csr"
    assert matrix.dtype == np.uint8
    return matrix.toarray()


def test_imdb_selects_the_most_informative_terms(tmp_path):
    write_reviews(tmp_path / "imdb")
    loaded = datasets.load_imdb(tmp_path, n_features=10)
    telling = {"a bad", "a good", "a joy", "a waste", "bad", "bad film", "good", "good film", "joy", "waste"}
    assert {name.removeprefix('has "').removesuffix('"') for name in loaded.feature_names} == telling
    X_train, X_test = dense(loaded.X_train), dense(loaded.X_test)
    for text, row in zip(["bad film", "good film"], X_train[:2], strict=True):
        assert row[loaded.feature_names.index(f'has "{text}"')] == 1
        assert row.sum() == 5
    assert {loaded.feature_names[i] for i in np.flatnonzero(X_test[0])} == {'has "a joy"', 'has "joy"'}
    assert {loaded.feature_names[i] for i in np.flatnonzero(X_test[1])} == {'has "waste"'}
    assert loaded.y_train.tolist() == [0, 1] * 10
    assert loaded.y_test.tolist() == [1, 0]
    assert loaded.target_names == ("negative", "positive")


def test_imdb_words_keep_apostrophes_and_leave_markup_out(tmp_path):
    loaded = datasets.load_imdb(write_reviews(tmp_path), n_features=15)
    words = ("a", "bad", "film", "it's", "waste", "good", "joy")
    pairs = ("a bad", "bad film", "film it's", "it's a", "a waste", "a good", "good film", "a joy")
    assert set(loaded.feature_names) == {f'has "{term}"' for term in words + pairs}
    assert "the 15 best by chi-square of 15 words" in loaded.description


def test_imdb_needs_ten_occurrences(tmp_path):
    # Occurrences count, not reviews: "bad" 10 times in 5 reviews, "good" 10 in 10, but "seldom" only 9 in 9.
    rows = [(0, "bad bad")] * 5 + [(1, "good")] * 10 + [(0, "seldom")] * 9
    write_reviews(tmp_path, {"train.jsonl": rows, "test.jsonl": [(0, "bad")]})
    loaded = datasets.load_imdb(tmp_path, n_features=2)
    assert loaded.feature_names == ('has "bad"', 'has "good"')
    with pytest.raises(ValueError, match=r"n_features must be between 1 and 2, .* got 3"):
        datasets.load_imdb(tmp_path, n_features=3)
    with pytest.raises(ValueError, match=r"n_features must be between 1 and 2, .* got 0"):
        datasets.load_imdb(tmp_path, n_features=0)


def test_imdb_authors_recipe_marks_the_start_and_rare_words(tmp_path):
    write_reviews(tmp_path)
    # "it's" is not in the index; 4,997 is the last rank that keeps its word.
    index = {"a": 1, "film": 2, "bad": 4_997, "good": 4_998, "joy": 9_000, "waste": 3, "what": 4}
    (tmp_path / "imdb_word_index.json").write_text(json.dumps(index))
    loaded = datasets.load_imdb(tmp_path, recipe="authors", n_features=13)
    names = {name.removeprefix('has "').removesuffix('"') for name in loaded.feature_names}
    # <START> a bad film br it's a waste -> <START> a bad film a waste; <START> a good film it's a joy -> ..
    assert names == {
        *("<START>", "a", "bad", "film", "waste", "<UNK>"),
        *("<START> a", "a bad", "bad film", "film a", "a waste", "a <UNK>", "<UNK> film"),
    }
    present = {loaded.feature_names[i] for i in np.flatnonzero(dense(loaded.X_test)[0])}
    assert present == {f'has "{term}"' for term in ("<START>", "a", "<UNK>", "<START> a", "a <UNK>")}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 2 is not a JSON object"),
        ("[1]", "line 2 is not a JSON object"),
        ('{"text": "no label"}', "line 2 is not a JSON object"),
        ('{"label": 2, "text": "good"}', "line 2: the label must be 0 or 1, got 2"),
    ],
)
def test_imdb_names_the_wrong_line(tmp_path, line, message):
    write_reviews(tmp_path)
    content = '{"label": 1, "text": "good"}\n' + line + "\n"
    (tmp_path / "test.jsonl.gz").write_bytes(gzip.compress(content.encode()))
    with pytest.raises(ValueError, match=message) as caught:
        datasets.load_imdb(tmp_path)
    assert "test.jsonl.gz" in str(caught.value)


def test_imdb_rejects_an_unknown_recipe(tmp_path):
    with pytest.raises(ValueError, match="recipe must be 'paper' or 'authors', got 'keras'"):
        datasets.load_imdb(tmp_path, recipe="keras")


def test_missing_imdb_says_which_files_go_where(tmp_path):
    with pytest.raises(DatasetNotFoundError) as caught:
        datasets.load_imdb(tmp_path)
    message = str(caught.value)
    for part in (
        "IMDb",
        "train.jsonl",
        "test.jsonl",
        str(tmp_path / "imdb"),
        "data_dir",
        "WTM_DATA",
        '"label"',
    ):
        assert part in message
    assert "imdb_word_index" not in message
    with pytest.raises(DatasetNotFoundError, match=r"imdb_word_index\.json"):
        datasets.load_imdb(write_reviews(tmp_path), recipe="authors")


@pytest.mark.slow
@pytest.mark.parametrize(("recipe", "n_candidates"), [("paper", None), ("authors", 71_783)])
def test_real_imdb(real_data, recipe, n_candidates):
    data_dir = real_data("imdb")
    loaded = datasets.load_imdb(data_dir, recipe=recipe)
    for X, y in ((loaded.X_train, loaded.y_train), (loaded.X_test, loaded.y_test)):
        assert X.shape == (25_000, 5_000)
        assert X.dtype == np.uint8
        assert set(np.unique(X.data)) == {1}
        assert np.bincount(y).tolist() == [12_500, 12_500]
    assert len(set(loaded.feature_names)) == 5_000
    assert {'has "bad"', 'has "the best"', 'has "waste of"'} <= set(loaded.feature_names)
    if n_candidates is not None:
        assert f"of {n_candidates:,} words" in loaded.description


def test_imdb_reads_the_first_reviews_only(tmp_path):
    write_reviews(tmp_path)
    loaded = datasets.load_imdb(tmp_path, n_features=5, max_reviews=12)
    assert loaded.y_train.tolist() == [0, 1] * 6
    assert loaded.y_test.tolist() == [1, 0]
    assert loaded.X_train.shape == (12, 5)


@pytest.mark.parametrize("max_reviews", [0, -1])
def test_imdb_needs_a_review(tmp_path, max_reviews):
    with pytest.raises(ValueError, match=f"max_reviews must be at least 1, or None for all, got {max_reviews}"):
        datasets.load_imdb(write_reviews(tmp_path), max_reviews=max_reviews)
