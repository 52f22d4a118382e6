"""Measure where the time of an epoch of the lazy engine goes, and the limit of each part; writes docs/anatomy.md.

python -m benchmarks.anatomy --data-dir DIR [--dataset mnist] [--clauses 2000] [--T 50] [--s 11.76] [--gamma 0.012]
                             [--epochs 2,10,50]
"""

import argparse
import copy
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.building_blocks import BuildingBlocks, Limits, measure_limits
from benchmarks.prepare_data import prepare
from wtm.machine.class_machine import Machine
from wtm.machine.examples import Examples, pack_examples
from wtm.machine.machine_parameters import MachineParameters
from wtm.machine.schedule import Schedule, draw_schedule
from wtm.paper.environment import environment
from wtm.paper.text_table import Table

ROOT = Path(__file__).resolve().parent.parent
SEED = 1
LEAST_GAMMA = 1e-6  # hardly moves a weight, but lets its exponent count the feedbacks


_INTRODUCTION = """\
# Where the time of an epoch goes

Written by `python -m benchmarks.anatomy`; do not edit.

An epoch of the lazy engine is timed as a whole. The number of times each part runs follows from the feedback counts
that the engine reports and from how the weights move. The time of each part is measured on the kernels' building
blocks, with the model's state before that epoch. The last row is the remainder: trials of watched automata, clauses
evaluated again because they changed, watch lists, and corrections of the sums of votes.

All parts except the first are estimates. *Outputs of a block* includes the sums of their votes, and assumes that no
clause changes. *Selection* is an upper bound: it counts each group of 512 clauses for each example, but nothing is
drawn when an example's sum has reached T or, for Type II feedback, when no clause of the group is true. *Feedback to
true clauses* (flush and update in one pass) and *flush at the end* are measured once on each clause, with the mean
number of pending feedbacks. A limit counts only the work that can't be avoided, at the best speed measured on this
machine. All seconds are processor time of one thread.
"""


@dataclass(frozen=True)
class Counts:
    """Counts of an epoch, over all machines.

    Attributes
    ----------
    examples, blocks : int
        Examples, each seen by two machines and counted for both, and blocks of 512 examples.
    updates_i, updates_ii : int
        Feedbacks of either type to true clauses.
    false : int
        Type I feedbacks to false clauses.
    """

    examples: int
    blocks: int
    updates_i: int
    updates_ii: int
    false: int

    @property
    def updates(self) -> int:
        """Feedbacks to true clauses."""
        return self.updates_i + self.updates_ii


@dataclass(frozen=True)
class Part:
    """A part of an epoch: how often it runs, its seconds in all, and the limit in seconds with its reason."""

    name: str
    times: int
    seconds: float
    limit: float
    reason: str


def main() -> int:
    """Run the command; see the module."""
    options = _options()
    options.work.mkdir(parents=True, exist_ok=True)
    with np.load(prepare(options.dataset, None, None, options.data_dir, options.work)) as data:
        examples, labels = pack_examples(data["X_train"]), data["y_train"]
    parameters = MachineParameters(
        examples.n_features, options.clauses, options.T, options.s, max(options.gamma, LEAST_GAMMA)
    )
    limits = measure_limits(parameters)
    wanted = [int(epoch) for epoch in options.epochs.split(",")]
    sections = [_introduction(options, limits)]
    for epoch, machines, schedule in _states(examples, labels, parameters, max(wanted)):
        if epoch in wanted:
            sections.append(_section(epoch, examples, machines, schedule, limits))
            print(sections[-1], flush=True)
    options.report.write_text("\n".join(sections), encoding="utf-8")
    print(f"Written: {options.report}", file=sys.stderr)
    return 0


def _states(
    examples: Examples, labels: np.ndarray, parameters: MachineParameters, n_epochs: int
) -> Iterator[tuple[int, list[Machine], list[Schedule]]]:
    """Yield for each epoch its number, the machines before it, and its schedule."""
    n_classes = int(labels.max()) + 1
    machines = [Machine.new(parameters, SEED, i) for i in range(n_classes)]
    for epoch in range(1, n_epochs + 1):
        schedule = draw_schedule(labels, n_classes, seed=SEED, n_seen=(epoch - 1) * len(labels), shuffle=True)
        yield epoch, copy.deepcopy(machines), schedule
        for machine, part in zip(machines, schedule, strict=True):
            machine.train(examples.literals, part)


def _section(epoch: int, examples: Examples, machines: list[Machine], schedule: list[Schedule], limits: Limits) -> str:
    seconds, counts = _time_epoch(examples, machines, schedule)
    parts = _parts(examples, machines, schedule, counts, limits)
    n_clauses = sum(machine.n_clauses for machine in machines)
    literals = sum(int(machine.include.sum()) for machine in machines) / n_clauses
    left = seconds - sum(part.seconds for part in parts)
    parts.append(Part("feedback to false clauses, and all else", counts.false, left, 0.0, ""))
    rows = []
    for part in parts:
        limit = [f"{part.limit:.4f}", f"{part.seconds / part.limit:.1f}"] if part.limit else ["", ""]
        each = f"{1e9 * part.seconds / max(1, part.times):,.0f}"
        share = f"{part.seconds / seconds:.0%}"
        rows.append([part.name, f"{part.times:,}", each, f"{part.seconds:.4f}", share, *limit, part.reason])
    header = ["part", "times", "ns each", "s", "of the epoch", "limit, s", "times the limit", "set by"]
    introduction = (
        f"## Epoch {epoch}: {seconds:.3f} s\n\n"
        f"{counts.updates_i:,} Type I and {counts.updates_ii:,} Type II feedbacks to true clauses, "
        f"{counts.false:,} Type I feedbacks to false ones; {literals:.1f} literals per clause before the epoch.\n"
    )
    return "\n".join([introduction, Table(header, rows).markdown(), ""])


def _time_epoch(examples: Examples, machines: list[Machine], schedule: list[Schedule]) -> tuple[float, Counts]:
    """Train copies of `machines` for an epoch, three times; return the median time and the counts."""
    seconds = []
    for _ in range(3):
        copies = copy.deepcopy(machines)
        start = time.process_time()
        reported = [m.train(examples.literals, part) for m, part in zip(copies, schedule, strict=True)]
        seconds.append(time.process_time() - start)
    after, before = (sum(int(machine.exponents.sum()) for machine in them) for them in (copies, machines))
    type_i, type_ii = (sum(column) for column in list(zip(*reported, strict=True))[:2])
    # Each Type I feedback to a true clause moves its exponent up, each Type II one down.
    updates_i = type_ii + after - before
    sizes = [len(part.rows) for part in schedule]
    counts = Counts(sum(sizes), sum(-(-size // 512) for size in sizes), updates_i, type_ii, type_i - updates_i)
    return statistics.median(seconds), counts


def _parts(
    examples: Examples, machines: list[Machine], schedule: list[Schedule], counts: Counts, limits: Limits
) -> list[Part]:
    p = machines[0].parameters
    n_clauses = sum(machine.n_clauses for machine in machines)
    blocks = [BuildingBlocks(examples, machine, part) for machine, part in zip(machines, schedule, strict=True)]
    pending = max(1, round(counts.false / (counts.updates + n_clauses)))  # flushed with each feedback and at the end
    share_type_i = counts.updates_i / max(1, counts.updates)
    groups = counts.examples * 2 * -(-p.n_clauses // 2 // 512)  # of 512 clauses, to select from

    def total(measure: Callable[[BuildingBlocks], float]) -> float:
        return sum(measure(block) for block in blocks)

    columns = total(BuildingBlocks.time_columns)
    outputs = total(BuildingBlocks.time_outputs)
    ands = total(BuildingBlocks.count_ands)
    selection = total(lambda block: block.time_selection(groups // counts.examples))
    update = total(lambda block: block.time_updates(pending, share_type_i)) / n_clauses
    flush = total(lambda block: block.time_flushes(pending))
    off_floor = total(BuildingBlocks.count_words_off_floor) / n_clauses

    moved = counts.examples * p.n_literals / 8 * 1.5  # bits of features read, of features and negations written
    draws = limits.seconds_per_random_vector
    visit = max(p.n_words * 64 * limits.seconds_per_clause_byte, 2 * off_floor * draws)
    by_automata = "automata moved, 16 random bits each"
    evaluations = counts.blocks * p.n_clauses
    return [
        Part("rows to columns", counts.blocks, columns, moved / limits.bytes_per_second, "bytes read and written"),
        Part("outputs of a block", evaluations, outputs, ands * limits.seconds_per_and, "one AND per watched literal"),
        Part("selection, at most", groups, selection, groups * 2 * draws, "2 random bits per clause"),
        Part("feedback to true clauses", counts.updates, update * counts.updates, counts.updates * visit, by_automata),
        Part("flush at the end", n_clauses, flush, n_clauses * visit, by_automata),
    ]


def _introduction(options: argparse.Namespace, limits: Limits) -> str:
    machine, versions = environment()["machine"], environment()["versions"]
    clause_ns = 1e9 * limits.seconds_per_clause_byte * limits.clause_bytes
    return f"""\
{_INTRODUCTION}
{options.dataset}, {options.clauses:,} clauses per class, T {options.T:g}, s {options.s:.4g}, gamma {options.gamma:g},
seed {SEED}; {machine["processor"]} (LLVM: {machine["llvm_target"]}), wtm {versions["wtm"]}, Numba
{versions["numba"]}. Measured limits: {limits.bytes_per_second / 1e9:.1f} GB/s for sequential reads and writes,
{clause_ns:.0f} ns to read and write the automata of a clause in random order, {1e9 * limits.seconds_per_and:.2f} ns
for an AND of 512 bits with a cached column, {1e9 * limits.seconds_per_random_vector:.2f} ns for 512 random bits.
"""


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-dir", help="folder with the data sets; default: WTM_DATA")
    parser.add_argument("--dataset", default="mnist", choices=("digits", "mnist", "connect-4", "imdb"))
    parser.add_argument("--clauses", type=int, default=2000, help="clauses per class")
    parser.add_argument("--T", type=float, default=50)
    parser.add_argument("--s", type=float, default=1 / 0.085)
    parser.add_argument("--gamma", type=float, default=0.012)
    parser.add_argument("--epochs", default="2,10,50", help="epochs to measure, separated by commas")
    parser.add_argument("--report", type=Path, default=ROOT / "docs" / "anatomy.md")
    parser.add_argument("--work", type=Path, default=ROOT / "out" / "benchmarks", help="folder for data")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
