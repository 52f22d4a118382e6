"""Write docs/performance.md from recorded runs."""

import json
import statistics
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from benchmarks import large_data, versions, wide_tables
from benchmarks.experiments import BASELINE, EXPERIMENTS
from wtm.paper.text_table import Table

__all__ = ["Record", "newest", "read_results", "render", "round_seconds", "write_report"]

Record = dict[str, Any]
"""What one program did in one experiment: one line of the file of results."""

_INTRODUCTION = """\
# Performance

Written by `python -m benchmarks.compare`; do not edit. `benchmarks/results` keeps the runs, and
`python -m benchmarks.compare --report-only` writes this page again from them.

All programs of an experiment run side by side, each in its own process, and take turns: in each round, each program
trains and predicts while the others wait. Figures are medians over the rounds, with the smallest and the largest in
brackets. *Times wtm* is the time divided by that of `wtm, 1 thread` in the same round; above 1 means slower than wtm.
Seconds are wall-clock time, for training alone and for the prediction of all test rows. *Processor time, times wtm*
is the same ratio of the processor's time, which other work on the machine changes far less; it is given for programs
with one thread, and includes what wtm measures after each epoch.

- `wtm` is the lazy engine and `wtm-direct` the direct engine; `ptm` is pyTsetlinMachine, `ptmp`
  pyTsetlinMachineParallel, `tmu` tmu's TMClassifier, `green` green-tsetlin.
- The first epoch takes longest, and later epochs less and less. wtm is timed at the epochs named. Slow programs are
  timed earlier, from where the time per epoch hardly changes.
- *ns per clause* is the time divided by the examples and by the clauses visited per example: those of two classes in
  training, those of all classes in prediction. green has one pool of clauses for all classes, here as many as two
  classes have elsewhere.
- *Memory* is the peak of the process minus its memory after reading the data: the program and its libraries, its form
  of the data, and the model. *Bytes per automaton* is the peak minus the memory after loading the libraries, divided by
  the number of automata. It includes the program's form of the data, which weighs most when the model is small.
- *Accuracy* on the test rows shows that a program learns. It is not a comparison: the numbers of epochs differ, and the
  parameters do not mean quite the same in each program.
"""


_TITLES = {experiment.name: experiment.title for experiment in EXPERIMENTS}


def read_results(path: Path) -> list[Record]:
    """Read the records of all runs, oldest first.

    Raises
    ------
    ValueError
        A line is not JSON.
    FileNotFoundError
    """
    records = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            records.append(json.loads(line))
        except ValueError as error:
            raise ValueError(f"{path}, line {number} is not JSON: {error}") from error
    return records


def write_report(records: Sequence[Record], path: Path) -> None:
    """Write the report on the newest session of every experiment, on versions of wtm, and on large tables."""
    sections = [render(records), versions.section(versions.read_sessions())]
    sections += [
        part.section(json.loads(part.RESULTS.read_text(encoding="utf-8"))) for part in (wide_tables, large_data)
    ]
    path.write_text("\n".join(sections), encoding="utf-8")


def newest(records: Iterable[Record]) -> dict[str, list[Record]]:
    """Return the records of the newest session of each experiment, in the order of `EXPERIMENTS`."""
    sessions: dict[str, list[Record]] = {}
    for record in records:
        known = sessions.get(record["experiment"])
        if known is None or record["session"] > known[0]["session"]:
            sessions[record["experiment"]] = [record]
        elif record["session"] == known[0]["session"]:
            known.append(record)
    order = [experiment.name for experiment in EXPERIMENTS]
    return dict(sorted(sessions.items(), key=lambda item: order.index(item[0]) if item[0] in order else len(order)))


def render(records: Sequence[Record]) -> str:
    """Return the report as Markdown."""
    return "\n".join([_INTRODUCTION, *(_experiment(session) for session in newest(records).values())])


def round_seconds(record: Record, kind: str, *, of_processor: bool = False) -> dict[int, float]:
    """Return the mean seconds of each round; ``kind`` is "epochs" or "predictions"."""
    rounds: dict[int, list[float]] = {}
    for timing in record[kind]:
        if timing["round"] is not None:
            seconds = timing["cpu_seconds"] / timing.get("repeats", 1) if of_processor else timing["seconds"]
            rounds.setdefault(timing["round"], []).append(seconds)
    return {number: statistics.fmean(seconds) for number, seconds in rounds.items()}


# --- Sections ------------------------------------------------------------------------------------------------


def _experiment(session: list[Record]) -> str:
    first = session[0]
    setting = first["setting"]
    baseline = next((record for record in session if record["program"] == BASELINE), None)
    working = [record for record in session if record["epochs"]]
    parts = [f"## {_TITLES.get(first['experiment'], setting['title'])}\n", _settings(first), ""]
    if len(working) > 1 or not setting["engines_at"]:
        parts += [_training_table(working, baseline), "", _prediction_table(working, baseline), ""]
    if any(record["copies"] for record in working):
        parts += [_engines_table(working), ""]
    parts += [_whole_run(record, setting) for record in working if setting["whole_run"]]
    parts += _notes(session)
    return "\n".join(parts)


def _settings(record: Record) -> str:
    s, machine = record["setting"], record["machine"]
    parts = {"training": s["n_train"], "test": s["n_test"]}
    rows = "".join(f", the first {size:,} {part} rows" for part, size in parts.items() if size)
    versions = ", ".join(f"{name} {version}" for name, version in record["versions"].items())
    return (
        f"{s['n_clauses']:,} clauses per class, T {s['T']:g}, s {s['s']:.5g}, gamma {s['gamma']:g}, seed {s['seed']}"
        f"{rows}; rounds: {s['rounds']}.\n"
        f"{record['session'][:16].replace('T', ' ')} UTC, revision {record['revision'] or 'unknown'}; "
        f"{machine['processor']} (LLVM: {machine['llvm_target']}; {', '.join(record['vectors'])}), cores: "
        f"{machine['cores']}, {machine['platform'].split('-')[0]}; {versions}."
    )


def _training_table(working: list[Record], baseline: Record | None) -> str:
    rows = []
    for record in working:
        seconds = round_seconds(record, "epochs")
        timed = [epoch["epoch"] for epoch in record["epochs"] if epoch["round"] is not None]
        rows.append(
            [
                record["program"],
                _at_epoch(record, 1),
                _at_epoch(record, 10),
                "–".join(str(epoch) for epoch in sorted({*timed[:1], *timed[-1:]})),
                _seconds(list(seconds.values())),
                _ratios(seconds, baseline, "epochs"),
                _processor_ratios(record, baseline, "epochs"),
                _nanoseconds(seconds, record["rows_training"] * record["visited_training"]),
            ]
        )
    heads = [
        "training", "epoch 1, s", "epoch 10, s", "epochs timed", "s/epoch", "times wtm", "processor time, times wtm",
        "ns per clause",
    ]  # fmt: skip
    return Table(heads, rows).markdown()


def _prediction_table(working: list[Record], baseline: Record | None) -> str:
    rows = []
    for record in working:
        seconds = round_seconds(record, "predictions")
        n_rows = record["predictions"][-1]["rows"] if record["predictions"] else 1
        visits = n_rows * record["visited_prediction"]
        rows.append(
            [
                record["program"],
                _seconds(list(seconds.values())),
                _ratios(seconds, baseline, "predictions"),
                _processor_ratios(record, baseline, "predictions"),
                _nanoseconds(seconds, visits),
                _ratios(seconds, baseline, "predictions", own_clauses=record["visited_prediction"]),
                *_memory(record),
                _accuracy(record),
            ]
        )
    heads = [
        "prediction", "all test rows, s", "times wtm", "processor time, times wtm", "ns per clause",
        "times wtm, per clause", "memory, MiB", "bytes per automaton", "accuracy (epoch)",
    ]  # fmt: skip
    return Table(heads, rows).markdown()


def _engines_table(working: list[Record]) -> str:
    """Compare both engines on copies of the same states."""
    rows = []
    for record in working:
        for epoch in sorted({copy["epoch"] for copy in record["copies"]}):
            seconds: dict[str, dict[int, float]] = {"lazy": {}, "direct": {}}
            for copy in record["copies"]:
                if copy["epoch"] == epoch:
                    seconds[copy["engine"]][copy["round"]] = copy["seconds"]
            ratios = [seconds["direct"][r] / seconds["lazy"][r] for r in seconds["lazy"] if r in seconds["direct"]]
            rows.append([str(epoch), *(_seconds(list(seconds[name].values())) for name in seconds), _factors(ratios)])
    return Table(["epoch", "lazy, s", "direct, s", "direct, times lazy"], rows).markdown()


def _whole_run(record: Record, setting: dict[str, Any]) -> str:
    if len(record["epochs"]) < setting["whole_run"]:
        return ""
    epochs, tests = record["epochs"], record["predictions"]
    training = sum(epoch["seconds"] for epoch in epochs)
    overall = sum(timing["wall_seconds"] for timing in (*epochs, *tests))
    accuracies = {test["epoch"]: test["accuracy"] for test in tests}
    best = max(accuracies, key=lambda epoch: accuracies[epoch])
    later = [accuracies[epoch] for epoch in sorted(accuracies)[-50:]]
    return (
        f"The whole run, {record['program']}: {len(epochs)} epochs in {training:.0f} s of training, {overall:.0f} s "
        f"including a test after each epoch and all measurements. Test accuracy: last {accuracies[len(epochs)]:.2%}, "
        f"largest {accuracies[best]:.2%} (epoch {best}), mean of the last {len(later)} epochs "
        f"{statistics.fmean(later):.2%}.\n"
    )


def _notes(session: list[Record]) -> list[str]:
    lines = []
    for record in session:
        if "error" in record:
            lines.append(f"- `{record['program']}` did not finish: {record['error']}")
        if record.get("notes") and record["threads"] == 1:
            about = f"{record['version']}, Python {record['python']}, NumPy {record['numpy']}"
            lines.append(f"- `{record['program'].split(',')[0]}` {about}: {'; '.join(record['notes'])}.")
    return [*lines, _busy(session), ""]


def _busy(session: list[Record]) -> str:
    """Describe the wall-clock time without processor time, in epochs of one thread."""
    shares = [
        1 - epoch["cpu_seconds"] / epoch["wall_seconds"]
        for record in session
        if record["threads"] == 1
        for epoch in record["epochs"]
        if epoch["wall_seconds"] > 0.1
    ]
    if not shares:
        return ""
    median, most = statistics.median(shares), max(shares)
    return (
        f"- Time lost to other work on the machine, in epochs with one thread: median {median:.0%}, at most {most:.0%}."
    )


# --- Cells ---------------------------------------------------------------------------------------------------


def _spread(values: Sequence[float], form: str) -> str:
    if not values:
        return ""
    low, middle, high = (form.format(x) for x in (min(values), statistics.median(values), max(values)))
    return middle if len(values) == 1 else f"{middle} ({low}–{high})"


def _factors(values: Sequence[float]) -> str:
    middle = statistics.median(values) if values else 0
    return _spread(values, "{:.2f}" if middle < 10 else "{:.1f}" if middle < 100 else "{:,.0f}")


def _seconds(values: Sequence[float]) -> str:
    small = bool(values) and statistics.median(values) < 0.1
    return _spread(values, "{:.4f}" if small else "{:.2f}")


def _ratios(seconds: dict[int, float], baseline: Record | None, kind: str, own_clauses: int | None = None) -> str:
    """Return times divided by the baseline's in the same round; with `own_clauses`, times per clause."""
    if baseline is None:
        return ""
    base = round_seconds(baseline, kind)
    scale = baseline["visited_prediction"] / own_clauses if own_clauses else 1
    return _factors([scale * seconds[r] / base[r] for r in seconds if r in base])


def _processor_ratios(record: Record, baseline: Record | None, kind: str) -> str:
    """Return processor times divided by the baseline's in the same round, of programs with one thread."""
    if baseline is None or record["threads"] > 1:
        return ""
    seconds, base = (round_seconds(one, kind, of_processor=True) for one in (record, baseline))
    if not all(seconds.values()):  # green times its predictions itself, by the clock
        return ""
    return _factors([seconds[r] / base[r] for r in seconds if base.get(r)])


def _nanoseconds(seconds: dict[int, float], visits: int) -> str:
    return f"{1e9 * statistics.median(seconds.values()) / visits:.3g}" if seconds else ""


def _at_epoch(record: Record, number: int) -> str:
    return next((_seconds([epoch["seconds"]]) for epoch in record["epochs"] if epoch["epoch"] == number), "")


def _memory(record: Record) -> tuple[str, str]:
    memory = record.get("memory")
    if not memory or memory["peak_mib"] is None:
        return "", ""
    per_automaton = (memory["peak_mib"] - memory["loaded_mib"]) * 2**20 / record["automata"]
    return f"{memory['peak_mib'] - memory['data_mib']:,.0f}", f"{per_automaton:.2f}"


def _accuracy(record: Record) -> str:
    if not record["predictions"]:
        return ""
    last = record["predictions"][-1]
    return f"{last['accuracy']:.2%} ({last['epoch']})"
