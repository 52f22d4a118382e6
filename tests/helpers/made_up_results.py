"""Small data and made-up results for the tests of the experiments."""

import gzip
import json
from dataclasses import asdict
from pathlib import Path

import numpy as np

from studies.sampling_speed import LITERALS, PROBABILITIES
from wtm.datasets import Dataset
from wtm.paper.environment import environment
from wtm.paper.problem import Problem
from wtm.paper.record import HISTORY, SAMPLED, Record
from wtm.paper.report.other_methods import METHODS, PLANNED_SEEDS
from wtm.paper.report.result_folder import FILE_ORDER
from wtm.paper.settings import COMPRESSION, PRESETS, SWEEPS, WEIGHTS, Setting, Swept, large_machines

ENVIRONMENT = environment()
SMALL = Setting("WTM", 10, 0.25, 0.05, 5)
ENDS = ("minimum", "maximum", "mean")


def small_problem(key="connect-4", n_rows=200, flipped=0):
    """A noisy XOR of 9 features in three classes; the first `flipped` labels are others."""
    rng = np.random.default_rng(3)
    X = rng.integers(0, 2, (n_rows, 9)).astype(np.uint8)
    y = np.array(["draw", "loss", "win"])[(X[:, 0] ^ X[:, 1]) + (X[:, 2] & X[:, 3])]
    y[:flipped] = "draw"
    half = n_rows // 2
    names = tuple(f"bit {i}" for i in range(9))
    dataset = Dataset("Tea", X[:half], y[:half], X[half:], y[half:], names, ("draw", "loss", "win"), "Made up.")
    return Problem(key, dataset)


def made_up_record(setting, accuracies, *, seed=0, key="connect-4", planned=None, quick=False, seconds=1.0):
    """A record with the given test accuracies, in per cent."""
    n_epochs = len(accuracies)
    history = {name: [0] * n_epochs for name in HISTORY}
    history["test_accuracy"] = [accuracy / 100 for accuracy in accuracies]
    history["train_accuracy"] = [min(1.0, accuracy / 100 + 0.01) for accuracy in accuracies]
    history["seconds"] = [seconds] * n_epochs
    history["type_i"] = [1_000 // epoch for epoch in range(1, n_epochs + 1)]
    history["literals_per_clause"] = [1 / setting.p_s] * n_epochs
    if setting in large_machines("mnist"):
        history[SAMPLED] = list(history["train_accuracy"])
    labels = [str(i) for i in range(10)] if key == "mnist" else ["draw", "loss", "win"]
    weights = [
        {
            "label": label,
            "all": {"minimum": 0.1, "maximum": 20.0 + i, "mean": 1.5} if setting.gamma else dict.fromkeys(ENDS, 1.0),
            "positive": {"-8": 3, "0": 7, "16": 2},
        }
        for i, label in enumerate(labels)
    ]
    data = {
        "key": key, "quick": quick, "name": "Tea", "digest": "0", "majority": {"label": labels[-1], "test_share": 0.5}
    }  # fmt: skip
    times = {"wall_seconds": 2.0 * seconds, "cpu_seconds": 2.0 * seconds}
    sessions = [{"epochs": [1, n_epochs], "n_jobs": 1, **times, **ENVIRONMENT}]
    return Record(data, setting, seed, planned or n_epochs, history, weights, sessions)


def keep(folder: Path, *records):
    """Write records where an experiment would."""
    for record in records:
        place = folder / record.data["key"]
        place.mkdir(parents=True, exist_ok=True)
        content = json.dumps({"kind": "training", **asdict(record)})  # without waiting for the disk, as `write` does
        (place / f"{record.name}.json").write_text(content)


def write_sampling(folder, *, first_epoch=True, factor=8.0):
    timing = {
        "nanoseconds": 100.0, "factor_low": 6.0, "factor_high": 9.0, "masks": 5, "mean_count": 1.0,
        "standard_errors": 0.5,
    }  # fmt: skip
    samplers = {name: {**timing, "factor": factor} for name in ("bernoulli", "binomial", "bits")}
    epoch = {"seconds": 10.0, "type_i": 12_000_000, "drawing_seconds": 7.0}
    (folder / "sampling").mkdir(parents=True, exist_ok=True)
    content = {
        "kind": "sampling", "seed": 0, "rounds": 3,
        "points": [{"n_literals": n, "p": p, "samplers": samplers} for n in LITERALS for p in PROBABILITIES],
        "first_epoch": dict.fromkeys(samplers, epoch) if first_epoch else {},
        **ENVIRONMENT,
    }  # fmt: skip
    (folder / "sampling" / "sampling.json").write_text(json.dumps(content))


def write_program_speed(folder, again=0.95):
    """Write the times of three epochs; `again` is the accuracy that the repetition has after the last one."""
    machine = {
        "n_clauses": 4_000,
        "program": {"seconds": [60.0, 50.0, 40.0], "test_accuracy": [0.9, 0.92, 0.95]},
        "repetition": {"seconds": [50.0, 40.0, 30.0], "test_accuracy": [0.9, 0.92, again]},
        "wtm": {"seconds": [4.0, 1.0, 0.5]},
        "load": 1.25,
    }
    folder.mkdir(parents=True, exist_ok=True)
    content = {"kind": "program speed", "machines": [machine], **ENVIRONMENT}
    (folder / "program-speed.json").write_text(json.dumps(content))


def write_baselines(folder, names, n_seeds=2):
    (folder / "baselines").mkdir(parents=True)
    for i, name in enumerate(names):
        for seed in range(n_seeds):
            content = {
                "kind": "baseline", "method": name, "seed": seed,
                "data": {"key": "mnist", "quick": False, "digest": "0"},
                "test_accuracy": 0.9 + i / 100 + seed / 1000, "fit_seconds": 1.0, "predict_seconds": 2.0, **ENVIRONMENT,
            }  # fmt: skip
            (folder / "baselines" / f"{name}-seed{seed}.json").write_text(json.dumps(content))


def write_ablation(folder, name, *accuracies, key="mnist", setting=SMALL, **columns):
    """Write trainings of an ablation with seeds 0, 1, ..., given test accuracies in per cent."""
    (folder / "ablations").mkdir(parents=True, exist_ok=True)
    for seed, of_seed in enumerate(accuracies):
        content = {
            "kind": "ablation", "ablation": name, "seed": seed, "setting": asdict(setting),
            "data": {"key": key, "digest": "0"}, "test_accuracy": [a / 100 for a in of_seed], **columns, **ENVIRONMENT,
        }  # fmt: skip
        (folder / "ablations" / f"{name}-seed{seed}.json").write_text(json.dumps(content))


def write_everything(folder):
    """Made-up results of every experiment, three seeds each, in which the WTM is better and more clauses are."""
    for key in ("mnist", "imdb", "imdb-authors", "connect-4"):
        plans = [plan for plans in PRESETS[key].values() for plan in plans]
        if key in COMPRESSION:
            plans += [COMPRESSION[key].weighted, COMPRESSION[key].classic]
            plans += [plan for swept in Swept for plan in SWEEPS[key][swept]]
        plans += [WEIGHTS] * (key == "mnist")
        for setting in dict.fromkeys(plan.setting for plan in plans):
            level = 80 + 9 * (setting.method == "WTM") + setting.n_clauses / 10_000
            n_epochs = 140 if setting in large_machines("mnist") else 10  # the paper says something on epochs after 130
            for seed in range(3):
                accuracies = [level + (i % 2) / 100 + seed / 1000 for i in range(n_epochs)]
                keep(folder, made_up_record(setting, accuracies, seed=seed, key=key))
    for name in ("grey-51", "grey-128", "program", *FILE_ORDER):
        level = 80 if "-tm-" in name else 89
        write_ablation(folder, name, *([level + seed / 1000] * 200 for seed in range(3)))
    write_ablation(folder, "program-tm", [89.0], type_i=[12_600_000])
    write_baselines(folder, METHODS, PLANNED_SEEDS)
    write_sampling(folder)
    write_program_speed(folder)


def write_mnist(folder, n_train=600, n_test=30):
    """Small files in the format of MNIST's; an image shows its digit as a bar."""
    rng = np.random.default_rng(0)
    for part, n in (("train", n_train), ("t10k", n_test)):
        labels = (np.arange(n) % 10).astype(np.uint8)
        images = (rng.random((n, 28, 28)) < 0.1).astype(np.uint8) * 255
        for image, label in zip(images, labels, strict=True):
            image[2 * label : 2 * label + 3] = 255
        for content, array, magic in (("images-idx3", images, 2051), ("labels-idx1", labels, 2049)):
            header = np.array([magic, *array.shape], ">u4").tobytes()
            (folder / f"{part}-{content}-ubyte.gz").write_bytes(gzip.compress(header + array.tobytes()))
    return folder


def write_imdb(folder, n_reviews=300):
    """Reviews of random words, of which the first tell the label, and Keras' word index for them."""
    rng = np.random.default_rng(0)
    words = np.array([f"word{i}" for i in range(28)])
    for part in ("train", "test"):
        lines = []
        for i in range(n_reviews):
            text = " ".join(rng.choice(words[4:], 60)) + f" {words[i % 2]}"
            lines.append(json.dumps({"label": i % 2, "text": text}) + "\n")
        (folder / f"{part}.jsonl.gz").write_bytes(gzip.compress("".join(lines).encode()))
    ranks = {word: i + 1 for i, word in enumerate(words.tolist())}
    (folder / "imdb_word_index.json.gz").write_bytes(gzip.compress(json.dumps(ranks).encode()))
    return folder
