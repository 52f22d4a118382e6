"""The page docs/shards.md, from the results of `benchmarks.shards`."""

import statistics
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from wtm.fitting.fit_warnings import MAX_DRIFT
from wtm.paper.text_table import Table, signed

__all__ = ["page"]

_LAST = 3  # epochs, whose mean is reported
_THREADS = (2, 4, 16)
_NAMES = {"mnist": "MNIST", "connect-4": "Connect-4", "imdb": "IMDb"}

_INTRODUCTION = """\
# Training clauses in shards

Written by `python -m benchmarks.shards report`; do not edit.

`n_shards` lets more threads train than there are classes: [scale.md](scale.md#more-cores-than-classes) says how. Within
a block of `vote_block` examples, a shard estimates the votes of the others from those at its start. This page has what
that costs and gains.
"""


def page(lines: Sequence[dict[str, Any]]) -> str:
    """Return the page for results, of which later ones replace earlier ones of the same kind."""
    found: dict[str, dict[Any, dict[str, Any]]] = defaultdict(dict)
    for line in lines:
        key = _title(line), line.get("seed"), str(line.get("shards")), line.get("epoch")
        found[line["part"]][key] = line
    sections: dict[str, Callable[[list[dict[str, Any]]], str]] = {
        "accuracy": _accuracy, "speed": _speed, "parts": _parts,
    }  # fmt: skip
    written = [write([*found[part].values()]) for part, write in sections.items() if part in found]
    return "\n".join([_INTRODUCTION, *written])


def _title(line: dict[str, Any]) -> str:
    return f"{_NAMES[line['dataset']]}, {line['n_clauses']:,} clauses, T {line['T']:g}"


def _named(shards: Sequence[int]) -> str:
    return "1, the paper's machine" if shards[0] == 1 else f"{shards[0]}, `vote_block={shards[1]}`"


def _accuracy(lines: list[dict[str, Any]]) -> str:
    rows = []
    for title in dict.fromkeys(map(_title, lines)):
        of_data = [line for line in lines if _title(line) == title]
        last = {(line["seed"], *line["shards"]): 100 * statistics.mean(line["accuracy"][-_LAST:]) for line in of_data}
        for shards in sorted({tuple(line["shards"]) for line in of_data}, key=lambda s: (s[0], -s[1])):
            same = [line for line in of_data if tuple(line["shards"]) == shards]
            means = [last[line["seed"], *shards] for line in same]
            lost = [last[line["seed"], *shards] - last[line["seed"], 1, 1] for line in same]
            drift = statistics.mean(line["vote_drift"][-1] for line in same)
            first = statistics.mean(line["vote_drift"][0] for line in same)
            rows.append([
                f"{title}, {len(of_data[0]['accuracy'])} epochs", _named(shards), str(len(same)),
                f"{statistics.mean(means):.2f}", f"{signed(min(lost))} to {signed(max(lost))}" if shards[0] > 1 else "",
                f"{first:.3f}", f"{drift:.3f}",
            ])  # fmt: skip
    header = ["data", "shards", "seeds", "accuracy, %", "difference by seed", "drift, first epoch", "drift, last epoch"]
    return f"""\
## Accuracy

Mean test accuracy of the last {_LAST} epochs. *Difference by seed* is that to the paper's machine of the same seed, the
smallest and the largest. *Drift* is `vote_drift` of `history_`: how far the sums of votes were off, as a share of
T; `fit` warns above {MAX_DRIFT:g} in the last epoch.

{Table(header, rows).markdown()}
"""


def _speed(lines: list[dict[str, Any]]) -> str:
    rows = []
    for line in lines:
        seconds = {name: np.array(times) for name, times in line["seconds"].items()}
        exact = seconds["exact"]
        for name, times in seconds.items():
            if name == "exact":
                continue
            is_control = name == "two machines"
            label = "two machines without shards, 2 threads" if is_control else f"{name} thread{'s' * (name[-1] > '1')}"
            gains = exact[:, 0] / times[:, 0] * (2 if is_control else 1)
            low, median, high = np.quantile(gains, [0.25, 0.5, 0.75])
            work = np.median(times[:, 1] / exact[:, 1]) / (2 if is_control else 1)
            rows.append([_title(line), label, f"{median:.2f} ({low:.2f} to {high:.2f})", f"{work:.2f}"])
    machine = lines[-1]["environment"]["machine"]
    n_rounds, epoch = len(lines[0]["seconds"]["exact"]), lines[0]["epoch"]
    header = ["data", "what is trained", "epochs per time", "processor time per epoch"]
    return f"""\
## Speed

Epoch {epoch} of one machine, from the same state; all ways take turns in {n_rounds} rounds. Both figures are relative
to the paper's machine in one thread in the same round: the epochs in the same time, with median and quartiles, and the
processor time of an epoch, the median. Two machines without shards in two threads, as for two classes, show what two
threads could gain on this computer at that time, which other programs used too: {machine["processor"]},
{machine["cores"]} cores.

{Table(header, rows).markdown()}

Shards take more processor time than the machine as a whole: each turns rows into columns on its own, and selects from
512 clauses of either polarity at a time, however few it has. So shards pay with several threads, and many clauses in
each of them.
"""


def _parts(lines: list[dict[str, Any]]) -> str:
    rows = []
    for line in sorted(lines, key=lambda line: (line["n_clauses"], line["epoch"])):
        shares = [line[name] / line["seconds"] for name in ("columns", "outputs")]
        gains = [f"{1 / (1 - sum(shares) + sum(shares) / n):.2f}" for n in _THREADS]
        rows.append([
            _title(line), str(line["epoch"]), f"{line['seconds']:.3f}", *(f"{share:.0%}" for share in shares), *gains,
        ])  # fmt: skip
    header = ["data", "epoch", "s", "columns", "outputs", *(f"gain, {n} threads" for n in _THREADS)]
    return f"""\
## What threads could gain without shards

Two parts of an epoch of the paper's machine could run in threads and leave the model as it is, bit for bit: turning
the rows of a block into columns, and evaluating all clauses on it. Everything else depends on the votes on the example
before. The table has processor seconds of an epoch of one machine, the shares of these two parts, and Amdahl's limit
for a number of threads, if neither starting threads nor waiting took any time. wtm leaves such threads out: the limit
is low in the early epochs, which take longest.

{Table(header, rows).markdown()}
"""
