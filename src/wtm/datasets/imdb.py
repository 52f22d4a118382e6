"""IMDb film reviews as the presence of words and pairs of words."""

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.feature_selection import SelectKBest, chi2

from wtm.datasets.dataset import Dataset
from wtm.datasets.find_files import DatasetNotFoundError, find_files, read_file

MIN_OCCURRENCES = 10
"""A candidate term occurs at least this often in the training reviews."""

N_FREQUENT_WORDS = 5000
"""Recipe "authors": Keras' `num_words`; rarer words are unknown."""

N_MARKS = 2
"""Recipe "authors": Keras' `index_from`, which shifts the ranks to make room for the marks."""

_Tokenizer = Callable[[str], list[str]]

_LINE_BREAK = re.compile(r"<br\s*/?>")
_WORD = re.compile(r"\w+(?:'\w+)*")
_KERAS_SEPARATORS = str.maketrans(dict.fromkeys('!"#$%&()*+,-./:;<=>?@[\\]^_`{|}~\t\n', " "))


def load_imdb(
    data_dir: str | os.PathLike[str] | None = None,
    *,
    recipe: Literal["paper", "authors"] = "paper",
    n_features: int = 5000,
    max_reviews: int | None = None,
) -> Dataset:
    """Load the IMDb reviews as bits: which words and pairs of words they contain (section 4.2 of the paper).

    Candidates are the words, and pairs of neighbouring words, that occur at least 10 times in the training reviews. The
    features are the `n_features` candidates with the largest chi-square statistic between presence and label, in the
    training part.

    There is no download: the reviews may be used for research, but not distributed with software.

    Parameters
    ----------
    data_dir : path or None
        The folder that holds ``train.jsonl`` and ``test.jsonl``, directly or in a folder ``imdb``; each may be
        compressed (``.gz``). Each line is a review: ``{"label": 0 or 1, "text": "..."}``, where 1 is positive. By
        default the folder in the environment variable ``WTM_DATA``.
    recipe : {"paper", "authors"}
        How words are found. "paper": runs of letters and digits in lower case, which may contain apostrophes
        ("don't"); HTML line breaks are dropped. "authors": as in the authors' program, which starts from Keras' form
        of the reviews: a mark at the start, the 4,997 most frequent words, and one mark for all rarer words. This
        needs Keras' ``imdb_word_index.json`` (the rank of each word by frequency, from 1) in the same folder.
    n_features : int
        Number of terms to select.
    max_reviews : int or None
        Read only the first `max_reviews` reviews of each part; None means all.

    Returns
    -------
    Dataset
        `X_train` and `X_test` CSR uint8 (25000, n_features) if all reviews are read; labels int64, 0 and 1.

    Raises
    ------
    DatasetNotFoundError
        The files were not found.
    ValueError
        `recipe` is unknown, `max_reviews` is below 1, a file is damaged or has another format, or there are fewer
        candidates than `n_features`.
    """
    if recipe not in ("paper", "authors"):
        raise ValueError(f"recipe must be 'paper' or 'authors', got {recipe!r}.")
    if max_reviews is not None and max_reviews < 1:
        raise ValueError(f"max_reviews must be at least 1, or None for all, got {max_reviews!r}.")
    names = ["train.jsonl", "test.jsonl"] + ["imdb_word_index.json"] * (recipe == "authors")
    try:
        paths = find_files("IMDb", "imdb", names, data_dir)
    except DatasetNotFoundError as missing:
        raise DatasetNotFoundError(
            f"{missing} There is no download. The reviews are the Large Movie Review Dataset v1.0 (Maas et al., 2011); "
            'each line of the .jsonl files is a review, {"label": 0 or 1, "text": "..."}.'
        ) from None
    tokenize = _words if recipe == "paper" else _keras_tokenizer(paths["imdb_word_index.json"])
    texts_train, y_train = _read_reviews(paths["train.jsonl"], max_reviews)
    texts_test, y_test = _read_reviews(paths["test.jsonl"], max_reviews)
    vectorizer = CountVectorizer(tokenizer=tokenize, token_pattern=None, ngram_range=(1, 2), dtype=np.int32)
    counts = sparse.csr_array(vectorizer.fit_transform(texts_train))
    columns, n_candidates = _select(counts, y_train, n_features)
    return Dataset(
        name="IMDb",
        X_train=_presence(counts[:, columns]),
        y_train=y_train,
        X_test=_presence(sparse.csr_array(vectorizer.transform(texts_test))[:, columns]),
        y_test=y_test,
        feature_names=tuple(f'has "{term}"' for term in vectorizer.get_feature_names_out()[columns]),
        target_names=("negative", "positive"),
        description=(
            f"Presence of the {n_features:,} best by chi-square of {n_candidates:,} words and pairs of words that "
            f"occur at least {MIN_OCCURRENCES} times in training, recipe '{recipe}'; the original split."
        ),
    )


def _select(counts: sparse.csr_array, y: NDArray[np.int64], n_features: int) -> tuple[NDArray[np.intp], int]:
    """Return the columns of the selected terms, ascending, and the number of candidates."""
    candidates = np.flatnonzero(counts.sum(axis=0) >= MIN_OCCURRENCES)
    if not 1 <= n_features <= len(candidates):
        raise ValueError(
            f"n_features must be between 1 and {len(candidates)}, the number of terms that occur at least "
            f"{MIN_OCCURRENCES} times in training, got {n_features}."
        )
    best = SelectKBest(chi2, k=n_features).fit(_presence(counts[:, candidates]), y)
    return candidates[best.get_support(indices=True)], len(candidates)


def _presence(counts: sparse.csr_array) -> sparse.csr_array:
    return counts.sign().astype(np.uint8)


def _words(text: str) -> list[str]:
    return _WORD.findall(_LINE_BREAK.sub(" ", text))


def _keras_tokenizer(word_index: Path) -> _Tokenizer:
    """Return a function from a text in lower case to the terms that Keras' word ids stand for."""
    rank = json.loads(read_file(word_index))
    term = {word: word if r + N_MARKS < N_FREQUENT_WORDS else "<UNK>" for word, r in rank.items()}

    def tokenize(text: str) -> list[str]:
        # Words outside the index are dropped, as in Keras.
        return [
            "<START>",
            *(term[word] for word in text.translate(_KERAS_SEPARATORS).split(" ") if word in term),
        ]

    return tokenize


def _read_reviews(path: Path, max_reviews: int | None) -> tuple[list[str], NDArray[np.int64]]:
    """Return the first texts and labels (n_reviews,) of a file with one JSON object per line."""
    texts, labels = [], []
    for number, line in enumerate(read_file(path).splitlines()[:max_reviews], start=1):
        try:
            review = json.loads(line)
            text, label = str(review["text"]), review["label"]
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f'{path}, line {number} is not a JSON object with "label" and "text".') from error
        if label not in (0, 1):
            raise ValueError(f"{path}, line {number}: the label must be 0 or 1, got {label!r}.")
        texts.append(text)
        labels.append(label)
    return texts, np.array(labels, dtype=np.int64)
