"""Write docs/scaling.md: the constants fitted to some measurements, and the model next to all of them."""

import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.scaling import cost
from benchmarks.scaling.cost import Feedback, Sizes
from benchmarks.scaling.extrapolation import EXTRAPOLATED, extrapolation, size_text
from wtm.paper.figures import draw_figure
from wtm.paper.text_table import Table

COLOURS = {2: "#0072b2", 20: "#d55e00", 60: "#009e73"}
N_PLACED = (1, 2, 4, 8, 16)
AXES = ("rows", "clauses", "classes", "features")

_TEXT = """\
# Cost at any size

Written by `python -m benchmarks.scaling report`; do not edit. `benchmarks/results/scaling.json` keeps the measurements,
which `python -m benchmarks.scaling run` makes: on made-up rows, on Connect-4, and on MNIST if it is there.

Seconds are processor time of one thread, medians of three turns with the smallest and the largest in brackets, unless a
section says otherwise. Other work ran on the machine, which makes all seconds longer.
{machine}.

## Seconds of an epoch

An epoch takes the time of drawing it, and that of its tasks, one per class. The seconds of a task are a sum of counts,
each times a constant. A clause counts as *changed* each time that it gets feedback while it is true. At the end of the
epoch, each clause is counted once more.

{constants}

The constants are fitted to {n_fitted} epochs of smaller cases. The model is off there by {fitted}; in the other
{n_checked} epochs, which the table has, by {checked}. It takes the counts of feedback from the engine. With the
shares of feedback of the second largest case of a size, known before the largest is trained, it is off by
{ahead} in the largest. It fails most in large machines, and where much feedback changes
many clauses at once. Drawing takes {draws} ns per row at {drawn} rows. Clauses are per class, and T is their
square root; `benchmarks/scaling/measure.py` has the other parameters. Columns *model* are predicted over measured
seconds, less 1.

{epochs}

{pictures}

## How far training has gone

Apart from the sizes, this decides what an epoch takes. An example visits each clause of its class, and gives feedback
to some of them. The table has the percentage of visits that give feedback to a true clause, the percentage that give it
to a false one, and the nanoseconds per visit, all measured. The model does not predict these percentages, which fall
while a model learns, and with T / clauses.

{shares}

## Workers

Times as fast as one worker: the tasks of epoch 20 with the most classes are placed on workers, the longest first, after
the epoch is drawn. This computer has two cores, so only one and two threads are measured, by the clock and in another
case; and other work leaves two threads up to twice the share of one.

{workers}

![An epoch over workers](scaling/workers.svg)

Milliseconds by the clock that a task takes besides its work. With more workers than cores this is overhead alone.

{tasks}

## Memory and bytes sent

{n_workers} workers, 800 features, 10 classes. *Sent* is what all processes of the cluster wrote to their connections:
for `wtm.dask` in an epoch that a callback looks at, for joblib's backend of Dask in a round of {n_epochs} epochs.
*Growth* is the peak of the resident memory of a worker, over what it had before; that of `wtm.dask` after the rows are
packed. The model counts arrays alone and has no fitted constants. It does not know on which workers Dask puts rows, nor
what it fetches early: growth is up to {growth:.1f} times the model.

{bytes}

## Prediction

The class sums of {n_predicted:,} rows take {prediction_constants}. They are off by
{prediction_fitted} where these constants are fitted, and by {prediction_checked} elsewhere. Clauses of the same
weight are counted together, so the number of different weights is an input. A worker holds 4 bytes per
included literal, 16 per clause, as much again while it votes, and 8 per row and class. Only the model is sent.

{extrapolated}"""


class Epoch:
    """A measured epoch of all classes of a case.

    Attributes
    ----------
    case : dict
        What was measured of the case.
    number : int
    seconds : ndarray of shape (n_turns, n_classes)
    terms : ndarray of shape (n_classes, 5)
        What the constants are multiplied by.
    shares : tuple of float
        Feedbacks to true and to false clauses per visit of a clause.
    """

    def __init__(self, case: dict[str, Any], found: dict[str, Any]) -> None:
        self.case, self.number, self.seconds = case, found["epoch"], np.array(found["seconds"])
        self.sizes = Sizes(*case["sizes"])
        self.terms = np.array([cost.task_terms(self.sizes, Feedback(*counts)) for counts in found["feedback"]])
        examples, true, false = np.sum(found["feedback"], axis=0)
        self.visits = examples * self.sizes.clauses
        self.shares = (true / self.visits, false / self.visits)

    @property
    def total(self) -> float:
        """Seconds of all classes."""
        return float(np.median(self.seconds.sum(axis=1)))


class Results:
    """The measurements, and the constants that follow from those that fit."""

    def __init__(self, stored: dict[str, Any]) -> None:
        self.stored = stored
        self.cases = stored["cases"]["measured"]
        self.epochs = [Epoch(case, found) for case in self.cases for found in case["epochs"]]
        self.fits = np.array([epoch.case["fits"] for epoch in self.epochs])
        terms = np.array([epoch.terms.sum(axis=0) for epoch in self.epochs])
        self.constants, self.errors = _fitted(terms, [epoch.total for epoch in self.epochs], self.fits)
        self.draws = stored["draws"]["measured"]
        self.draw_constants = np.divide(_medians(self.draws, "seconds"), [draw["rows"] for draw in self.draws])
        self.predictions = stored["predictions"]["measured"]
        terms = np.array([cost.prediction_terms(Sizes(*p["sizes"]), p["n_weights"]) for p in self.predictions])
        self.prediction_fits = np.array([prediction["fits"] for prediction in self.predictions])
        self.prediction_constants, self.prediction_errors = _fitted(
            terms, _medians(self.predictions, "seconds"), self.prediction_fits
        )

    def draw_seconds(self, n_rows: int) -> float:
        """Seconds to draw an epoch, between the numbers of rows that were measured; more per row in larger tables."""
        per_row = np.interp(np.log(n_rows), np.log([draw["rows"] for draw in self.draws]), self.draw_constants)
        return float(per_row * n_rows)

    def predicted(self, epoch: Epoch) -> float:
        """Seconds of all classes by the model."""
        return float(epoch.terms.sum(axis=0) @ self.constants)

    def of_axis(self, data: str, axis: str, number: int) -> list[Epoch]:
        """Epochs of a figure, in order."""
        found = [e for e in self.epochs if e.case["data"] == data and axis in e.case["axes"] and e.number == number]
        return sorted(found, key=lambda epoch: getattr(epoch.sizes, axis))

    def errors_in_advance(self) -> Iterator[float]:
        """Errors in the largest case of each size, with the shares of feedback of the second largest."""
        for data, axis in sorted({(case["data"], axis) for case in self.cases for axis in case["axes"]}):
            for number in COLOURS:
                *_, smaller, largest = self.of_axis(data, axis, number)
                task = cost.task_terms(largest.sizes, cost.expected_feedback(largest.sizes, *smaller.shares))
                yield largest.sizes.classes * float(task @ self.constants) / largest.total - 1

    def largest(self, number: int) -> list[Epoch]:
        """Return an epoch of the case with the most clauses of each kind of data with noise."""
        epochs = [e for e in self.epochs if e.number == number and e.case["data"] != "noise-free"]
        return list({epoch.case["data"]: epoch for epoch in sorted(epochs, key=lambda e: e.sizes.clauses)}.values())

    def speedups(self) -> tuple[Epoch, list[float], list[float]]:
        """Return the epoch that is placed on workers, and its speed-ups as measured and by the model."""
        epoch = max((e for e in self.epochs if e.number == 20), key=lambda e: e.sizes.classes)
        draw = self.draw_seconds(epoch.sizes.rows)
        of_tasks = np.median(epoch.seconds, axis=0), epoch.terms @ self.constants
        measured, model = (
            [(draw + sum(tasks)) / (draw + cost.makespan(tasks, n)) for n in N_PLACED] for tasks in of_tasks
        )
        return epoch, measured, model

    def thread_speedups(self) -> np.ndarray:
        """Seconds of one thread over those of two, turn by turn."""
        seconds = self.stored["threads"]["measured"]["seconds"]
        return np.array(seconds["1"]) / seconds["2"]


def _medians(found: list[dict[str, Any]], name: str) -> list[float]:
    return [float(np.median(one[name])) for one in found]


def _fitted(terms: np.ndarray, seconds: Sequence[float], fits: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the constants fitted to some of the measurements, and the relative errors in all."""
    constants = cost.fit_constants(terms[fits], np.array(seconds)[fits])
    return constants, terms @ constants / seconds - 1


def write_page(stored: dict[str, Any], path: Path) -> None:
    """Write the page and its figures."""
    results, folder = Results(stored), path.parent / "scaling"
    path.write_text(page_of(results), encoding="utf-8")
    folder.mkdir(exist_ok=True)
    for axis in AXES:
        _draw_axis(folder / f"{axis}.svg", results, axis)
    _draw_workers(folder / "workers.svg", results)


def page_of(results: Results) -> str:
    """Return the page."""
    about, cluster = results.stored["cases"], results.stored["cluster"]["measured"]
    machine, versions = about["machine"], about["versions"]
    page = _TEXT.format(
        machine=f"{machine['processor']} (LLVM: {machine['llvm_target']}), {machine['cores']} cores; wtm\n"
        f"{versions['wtm']}, Numba {versions['numba']}; {about['finished'][:10]}",
        constants=_constants_table(results).markdown(),
        n_fitted=results.fits.sum(),
        n_checked=(~results.fits).sum(),
        fitted=_off(results.errors[results.fits]),
        checked=_off(results.errors[~results.fits]),
        ahead=_off(list(results.errors_in_advance())),
        draws=_listed([f"{1e9 * constant:.0f}" for constant in results.draw_constants]),
        drawn=_listed([f"{draw['rows']:,}" for draw in results.draws]),
        epochs=_epochs_table(results).markdown(),
        pictures="\n".join(f"![An epoch over {axis}](scaling/{axis}.svg)" for axis in AXES),
        shares=_shares_table(results).markdown(),
        workers=_workers_table(results).markdown(),
        tasks=_tasks_table(cluster["tasks"]).markdown(),
        n_workers=cluster["n_workers"],
        n_epochs=cluster["n_epochs"],
        growth=max(found[way]["memory"] / memory for found, way, _, memory in _modelled(cluster)),
        bytes=_bytes_table(cluster).markdown(),
        n_predicted=results.predictions[0]["sizes"][0],
        prediction_constants=_listed(
            [
                f"{_number(1e9 * value)} ns per {name}"
                for name, value in zip(cost.PREDICTION, results.prediction_constants, strict=True)
            ]
        ),
        prediction_fitted=_off(results.prediction_errors[results.prediction_fits]),
        prediction_checked=_off(results.prediction_errors[~results.prediction_fits]),
        extrapolated=extrapolation(
            results.constants,
            results.draw_seconds(EXTRAPOLATED.rows),
            [e.shares for e in results.largest(max(COLOURS))],
        ),
    )
    return _wrapped(page)


def _wrapped(page: str) -> str:
    """Wrap the paragraphs."""
    parts = page.strip().split("\n\n")
    wrapped = [part if part[0] in "#|!-" else textwrap.fill(part, 120, break_on_hyphens=False) for part in parts]
    return "\n\n".join(wrapped) + "\n"


# --- Tables --------------------------------------------------------------------------------------------------


def _listed(words: Sequence[str]) -> str:
    return f"{', '.join(words[:-1])} and {words[-1]}"


def _off(errors: Sequence[float] | np.ndarray) -> str:
    return f"{np.median(np.abs(errors)):.0%} in the median and {np.max(np.abs(errors)):.0%} at most"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _spread(values: Sequence[float] | np.ndarray) -> str:
    return f"{_number(float(np.median(values)))} ({_number(min(values))}–{_number(max(values))})"


def _constants_table(results: Results) -> Table:
    lines = zip(cost.TASK, results.constants, strict=True)
    return Table(["per", "ns"], [[name, _number(1e9 * value)] for name, value in lines])


def _epochs_table(results: Results) -> Table:
    header = ["data", *Sizes._fields, *(text for number in COLOURS for text in (f"epoch {number}, s", "model"))]
    rows = []
    for case in (case for case in results.cases if not case["fits"]):
        row = [case["data"], *(f"{size:,}" for size in case["sizes"])]
        for epoch, error in zip(results.epochs, results.errors, strict=True):
            row += [_spread(epoch.seconds.sum(axis=1)), f"{error:+.0%}"] if epoch.case is case else []
        rows.append(row)
    return Table(header, rows)


def _shares_table(results: Results) -> Table:
    rows = []
    for epochs in zip(*(results.largest(number) for number in COLOURS), strict=True):
        cells = (f"{100 * e.shares[0]:.2g}, {100 * e.shares[1]:.2g}, {1e9 * e.total / e.visits:.2g}" for e in epochs)
        rows.append([epochs[0].case["data"], f"{epochs[0].sizes.clauses:,}", *cells])
    return Table(["data", "clauses", *(f"epoch {number}: true, false, ns" for number in COLOURS)], rows)


def _workers_table(results: Results) -> Table:
    _, measured, model = results.speedups()
    rows = [
        ["measured tasks, placed", *(f"{value:.2f}" for value in measured)],
        ["predicted tasks, placed", *(f"{value:.2f}" for value in model)],
        ["threads, by the clock", "1", _spread(results.thread_speedups()), *[""] * (len(N_PLACED) - 2)],
    ]
    return Table(["workers", *map(str, N_PLACED)], rows)


def _tasks_table(tasks: list[dict[str, Any]]) -> Table:
    found = {(task["way"], task["workers"]): _spread(1e3 * np.array(task["seconds"])) for task in tasks}
    ways, workers = (list(dict.fromkeys(names)) for names in zip(*found, strict=True))
    return Table(
        ["ms per task", *(f"workers: {n}" for n in workers)],
        [[way, *(found[way, n] for n in workers)] for way in ways],
    )


def _modelled(cluster: dict[str, Any]) -> Iterator[tuple[dict[str, Any], str, int, int]]:
    """Yield what was measured of a size, the way to train, and the bytes sent and held by the model."""
    for found in cluster["bytes"]:
        sizes, n_workers = Sizes(*found["sizes"]), cluster["n_workers"]
        yield found, "joblib", cost.joblib_sent(sizes, n_workers, cluster["n_epochs"]), cost.joblib_worker_bytes(sizes)
        yield found, "wtm.dask", cost.dask_sent(sizes, n_workers), cost.dask_worker_bytes(sizes, n_workers)


def _bytes_table(cluster: dict[str, Any]) -> Table:
    rows = []
    for found, way, sent, memory in _modelled(cluster):
        sizes, figures = Sizes(*found["sizes"]), (found[way]["sent"], sent, found[way]["memory"], memory)
        rows.append([f"{way}, {sizes.rows:,} rows, {sizes.clauses:,} clauses", *map(size_text, figures)])
    return Table(["", "sent", "model", "growth", "model"], rows)


# --- Figures -------------------------------------------------------------------------------------------------


def _draw_axis(path: Path, results: Results, axis: str) -> None:
    def draw(axes: Any) -> None:
        for data, marker, dashes in (("made up", "o", "-"), ("connect-4", "s", "--")):
            for number, colour in COLOURS.items():
                epochs = results.of_axis(data, axis, number)
                x, label = [getattr(epoch.sizes, axis) for epoch in epochs], f"{data}, epoch {number}"
                axes.plot(x, [results.predicted(epoch) for epoch in epochs], dashes, color=colour, linewidth=1)
                if epochs:
                    axes.plot(x, [epoch.total for epoch in epochs], marker, color=colour, markersize=4, label=label)
        places = {getattr(epoch.sizes, axis) for epoch in results.epochs if axis in epoch.case["axes"]}
        axes.set(xscale="log", yscale="log", xlabel=axis, ylabel="processor seconds per epoch")
        axes.minorticks_off()
        axes.set_xticks(sorted(places), [f"{place:,}" for place in sorted(places)])

    draw_figure(path, f"An epoch over {axis}: measured points, and lines of the model", draw)


def _draw_workers(path: Path, results: Results) -> None:
    epoch, measured, model = results.speedups()
    two = np.median(results.thread_speedups())

    def draw(axes: Any) -> None:
        axes.plot(N_PLACED, model, color=COLOURS[2], linewidth=1, label="predicted tasks, placed")
        axes.plot(N_PLACED, measured, "o", color=COLOURS[2], markersize=4, label="measured tasks, placed")
        axes.plot([1, 2], [1, two], "s", color=COLOURS[20], markersize=4, label="threads, by the clock")
        axes.set(xlabel="workers", ylabel="times as fast as one")

    draw_figure(path, f"An epoch of {epoch.sizes.classes} classes over workers", draw)
