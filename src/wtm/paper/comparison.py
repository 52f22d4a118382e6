"""Machines trained side by side with the settings of a preset: training, files of results and table."""

import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from wtm.classifier import WTMClassifier
from wtm.datasets import Dataset
from wtm.paper.comparison_table import comparison_table
from wtm.paper.curve import draw_learning_curve
from wtm.paper.report import prepare_folder, say, show, write_json
from wtm.paper.rules_file import write_rules
from wtm.paper.settings import Preset, Setting, machines_of
from wtm.paper.summary import Summary, summarise

__all__ = ["Options", "compare"]

_PROTOCOL = (
    "Test accuracy is measured after every epoch, for the curve; nothing is tuned or stopped by it. "
    "The peak is the best of all epochs as the test set itself picks it, so it flatters: compare it with a peak only."
)


@dataclass(frozen=True)
class Options:
    """What the caller of an experiment chooses.

    Attributes
    ----------
    preset : Preset
    n_epochs : int or None
        Epochs of every machine; None: the preset's `Setting.default_epochs`.
    seed : int
        `random_state` of every machine.
    n_jobs : int
        Threads, as in `WTMClassifier`.
    out : Path
        The folder for results; made where it is missing.
    """

    preset: Preset
    n_epochs: int | None
    seed: int
    n_jobs: int
    out: Path


def compare(name: str, dataset: Dataset, options: Options) -> None:
    """Train the machines of a preset; write ``results.json``, ``rules.txt``, ``learning-curve.svg``; print a table.

    Parameters
    ----------
    name : str
        The experiment, a key of `wtm.paper.settings.PRESETS`.
    dataset : Dataset
    options : Options

    Raises
    ------
    OSError
        The results can't be written; found out before training where possible.
    """
    prepare_folder(options.out)
    settings = machines_of(name, options.preset)
    classifiers = [_train(setting, dataset, options) for setting in settings]
    summaries = [summarise(clf) for clf in classifiers]
    majority = _majority(dataset)
    title = f"{dataset.name}, preset {options.preset}"
    write_json(
        options.out / "results.json",
        {
            "experiment": name,
            "preset": options.preset,
            "seed": options.seed,
            "n_jobs": options.n_jobs,
            "protocol": _PROTOCOL,
            "data": {**_describe(dataset), "majority": majority},
            "machines": [
                _results(setting, summary, clf)
                for setting, summary, clf in zip(settings, summaries, classifiers, strict=True)
            ],
        },
    )
    write_rules(options.out / "rules.txt", title, settings[0], classifiers[0], dataset.feature_names)
    curves = [(setting.machine, clf.history_) for setting, clf in zip(settings, classifiers, strict=True)]
    drawn = draw_learning_curve(options.out / "learning-curve.svg", title, curves, majority)
    show(comparison_table(title, settings, summaries, majority), _PROTOCOL)
    say(f"Written to {options.out}: results.json, rules.txt" + ", learning-curve.svg" * drawn)


def _train(setting: Setting, dataset: Dataset, options: Options) -> WTMClassifier:
    """Train one machine, telling when it starts and ends; the test set goes along as validation data."""
    n_epochs = options.n_epochs or setting.default_epochs
    say(
        f"{setting.machine}: {setting.n_clauses:,} clauses a class, p_s {setting.p_s}, gamma {setting.gamma:g}, "
        f"T {setting.T}, epochs {n_epochs:,}"
    )
    clf = WTMClassifier(
        n_clauses=setting.n_clauses,
        T=setting.T,
        s=1 / setting.p_s,
        gamma=setting.gamma,
        n_epochs=n_epochs,
        n_jobs=options.n_jobs,
        random_state=options.seed,
        verbose=1,
    )
    start = time.perf_counter()
    clf.fit(dataset.X_train, dataset.y_train, X_val=dataset.X_test, y_val=dataset.y_test)
    seconds = time.perf_counter() - start
    say(f"{setting.machine}: test accuracy {clf.history_[-1]['valid_accuracy']:.2%} after {seconds:.0f} s")
    return clf


def _majority(dataset: Dataset) -> dict[str, Any]:
    """The accuracy on the test set of always saying the class that is the most frequent in training."""
    labels, counts = np.unique(dataset.y_train, return_counts=True)
    label = labels[counts.argmax()]
    return {"label": str(label), "test_share": float(np.mean(dataset.y_test == label))}


def _describe(dataset: Dataset) -> dict[str, Any]:
    return {
        "name": dataset.name,
        "description": dataset.description,
        "training_rows": len(dataset.y_train),
        "test_rows": len(dataset.y_test),
        "features": len(dataset.feature_names),
        "classes": list(dataset.target_names),
    }


def _results(setting: Setting, summary: Summary, clf: WTMClassifier) -> dict[str, Any]:
    history = [
        {"test_accuracy" if key == "valid_accuracy" else key: value for key, value in entry.items()}
        for entry in clf.history_
    ]
    return {
        "machine": setting.machine,
        "parameters": {"p_s": setting.p_s, **clf.get_params()},
        "authors": {
            "epochs": setting.epochs,
            "seconds_per_epoch": setting.paper_seconds,
            "figures": [asdict(figure) for figure in setting.paper],
        },
        "summary": asdict(summary),
        "history": history,
    }
