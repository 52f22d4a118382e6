"""Where the time of an epoch of the lazy engine goes, and how far each part is from its limit; writes docs/anatomy.md.

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
from benchmarks.shapes import prepare
from wtm.machine.examples import Examples, pack_examples
from wtm.machine.machine import Machine
from wtm.machine.machine_parameters import MachineParameters
from wtm.machine.schedule import ClassSchedule, draw_schedule
from wtm.paper.files import environment

ROOT = Path(__file__).resolve().parent.parent
SEED = 1
LEAST_GAMMA = 1e-6  # moves a weight by nothing that counts, but lets it count the feedbacks


_INTRODUCTION = """\
# Where the time of an epoch goes

Written by `python -m benchmarks.anatomy`; do not edit.

An epoch of the lazy engine is timed as it is. How often its parts happen follows from what it reports and from how the
weights move; what each takes is measured on the kernels' building blocks, at the model's state before that epoch. The
last row is what is left over: trials of followed automata, clauses that are evaluated again because they changed, lists
of witnesses, sums of votes. All parts but the first are estimates. Outputs are those of clauses that stay as they are.
Selection is an upper bound: it counts every group of 512 clauses for every example, though none is drawn from where
an example's sum has reached T, or for Type II feedback where no clause of the group is true. Hits (payment and
feedback to a true clause, in one pass) and the payment at the end are measured on every clause once, each owed the
mean number of feedbacks. A limit counts only what must be done, at the best speed that was measured on this machine.
All seconds are the processor's, of one thread.
"""


@dataclass(frozen=True)
class Counts:
    """What happened in an epoch, over all machines.

    Attributes
    ----------
    examples, blocks : int
        Examples seen, once by each of two machines, and blocks of 512 of them.
    hits_i, hits_ii : int
        Feedbacks of either type to true clauses.
    false : int
        Type I feedbacks to false clauses.
    """

    examples: int
    blocks: int
    hits_i: int
    hits_ii: int
    false: int

    @property
    def hits(self) -> int:
        """Feedbacks to true clauses."""
        return self.hits_i + self.hits_ii


@dataclass(frozen=True)
class Part:
    """A part of an epoch: how often it happens, what it takes in all, and the limit, in seconds, with its reason."""

    name: str
    times: int
    seconds: float
    limit: float
    reason: str


def main() -> int:
    """Run what the command line asks for; see the module."""
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
) -> Iterator[tuple[int, list[Machine], list[ClassSchedule]]]:
    """Yield each epoch's number, the machines before it, and its schedule."""
    n_classes = int(labels.max()) + 1
    machines = [Machine.new(parameters, SEED, i) for i in range(n_classes)]
    for epoch in range(1, n_epochs + 1):
        schedule = draw_schedule(labels, n_classes, seed=SEED, n_seen=(epoch - 1) * len(labels), shuffle=True)
        yield epoch, copy.deepcopy(machines), schedule
        for machine, part in zip(machines, schedule, strict=True):
            machine.train(examples.literals, part)


def _section(
    epoch: int, examples: Examples, machines: list[Machine], schedule: list[ClassSchedule], limits: Limits
) -> str:
    seconds, counts = _time_epoch(examples, machines, schedule)
    parts = _parts(examples, machines, schedule, counts, limits)
    n_clauses = sum(machine.n_clauses for machine in machines)
    literals = sum(int(machine.include.sum()) for machine in machines) / n_clauses
    left = seconds - sum(part.seconds for part in parts)
    parts.append(Part("feedback to false clauses, and all else", counts.false, left, 0.0, ""))
    lines = [
        f"## Epoch {epoch}: {seconds:.3f} s\n",
        f"{counts.hits_i:,} Type I and {counts.hits_ii:,} Type II feedbacks to true clauses, {counts.false:,} Type I "
        f"feedbacks to false ones; {literals:.1f} literals a clause before it.\n",
        "| part | times | ns each | s | of the epoch | limit, s | times the limit | set by |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |",
    ]
    for part in parts:
        limit = [f"{part.limit:.4f}", f"{part.seconds / part.limit:.1f}"] if part.limit else ["", ""]
        each = f"{1e9 * part.seconds / max(1, part.times):,.0f}"
        share = f"{part.seconds / seconds:.0%}"
        cells = [part.name, f"{part.times:,}", each, f"{part.seconds:.4f}", share, *limit, part.reason]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join([*lines, ""])


def _time_epoch(examples: Examples, machines: list[Machine], schedule: list[ClassSchedule]) -> tuple[float, Counts]:
    """Train copies of `machines` for an epoch, three times: the median time, and what happened."""
    seconds = []
    for _ in range(3):
        copies = copy.deepcopy(machines)
        start = time.process_time()
        reported = [m.train(examples.literals, part) for m, part in zip(copies, schedule, strict=True)]
        seconds.append(time.process_time() - start)
    after, before = (sum(int(machine.exponents.sum()) for machine in them) for them in (copies, machines))
    type_i, type_ii, _ = (sum(column) for column in zip(*reported, strict=True))
    # Each Type I feedback to a true clause moves its exponent up, each Type II one down.
    hits_i = type_ii + after - before
    sizes = [len(part.rows) for part in schedule]
    counts = Counts(sum(sizes), sum(-(-size // 512) for size in sizes), hits_i, type_ii, type_i - hits_i)
    return statistics.median(seconds), counts


def _parts(
    examples: Examples, machines: list[Machine], schedule: list[ClassSchedule], counts: Counts, limits: Limits
) -> list[Part]:
    p = machines[0].parameters
    n_clauses = sum(machine.n_clauses for machine in machines)
    blocks = [BuildingBlocks(examples, machine, part) for machine, part in zip(machines, schedule, strict=True)]
    owed = max(1, round(counts.false / (counts.hits + n_clauses)))  # paid at every hit, and of all at the end
    share_type_i = counts.hits_i / max(1, counts.hits)
    groups = counts.examples * 2 * -(-p.n_clauses // 2 // 512)  # of 512 clauses, to select from

    def total(measure: Callable[[BuildingBlocks], float]) -> float:
        return sum(measure(block) for block in blocks)

    columns = total(BuildingBlocks.time_columns)
    outputs = total(BuildingBlocks.time_outputs)
    ands = total(BuildingBlocks.count_ands)
    selection = total(lambda block: block.time_selection(groups // counts.examples))
    hit = total(lambda block: block.time_hits(owed, share_type_i)) / n_clauses
    payment = total(lambda block: block.time_payments(owed))
    off_floor = total(BuildingBlocks.count_words_off_floor) / n_clauses

    moved = counts.examples * p.n_literals / 8 * 1.5  # bits of features read, of features and negations written
    draws = limits.seconds_a_random_vector
    visit = max(p.n_words * 64 * limits.seconds_a_clause_byte, 2 * off_floor * draws)
    by_automata = "automata moved, 16 random bits each"
    evaluations = counts.blocks * p.n_clauses
    return [
        Part("rows to columns", counts.blocks, columns, moved / limits.bytes_a_second, "bytes read and written"),
        Part("outputs of a block", evaluations, outputs, ands * limits.seconds_an_and, "an AND a listed literal"),
        Part("selection, at most", groups, selection, groups * 2 * draws, "2 random bits a clause"),
        Part("hits", counts.hits, hit * counts.hits, counts.hits * visit, by_automata),
        Part("payment at the end", n_clauses, payment, n_clauses * visit, by_automata),
    ]


def _introduction(options: argparse.Namespace, limits: Limits) -> str:
    machine, versions = environment()["machine"], environment()["versions"]
    clause_ns = 1e9 * limits.seconds_a_clause_byte * limits.clause_bytes
    return f"""\
{_INTRODUCTION}
{options.dataset}, {options.clauses:,} clauses a class, T {options.T:g}, s {options.s:.4g}, gamma {options.gamma:g},
seed {SEED}; {machine["processor"]} (LLVM: {machine["llvm_target"]}), wtm {versions["wtm"]}, Numba
{versions["numba"]}. Measured limits: {limits.bytes_a_second / 1e9:.1f} GB/s read and written in order,
{clause_ns:.0f} ns to read and write a clause's automata at random, {1e9 * limits.seconds_an_and:.2f} ns for an AND of
512 bits with a column in the cache, {1e9 * limits.seconds_a_random_vector:.2f} ns for 512 random bits.
"""


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-dir", help="folder that holds the data sets; else WTM_DATA")
    parser.add_argument("--dataset", default="mnist", choices=("digits", "mnist", "connect-4", "imdb"))
    parser.add_argument("--clauses", type=int, default=2000, help="of each class")
    parser.add_argument("--T", type=float, default=50)
    parser.add_argument("--s", type=float, default=1 / 0.085)
    parser.add_argument("--gamma", type=float, default=0.012)
    parser.add_argument("--epochs", default="2,10,50", help="epochs to look at, separated by commas")
    parser.add_argument("--report", type=Path, default=ROOT / "docs" / "anatomy.md")
    parser.add_argument("--work", type=Path, default=ROOT / "out" / "benchmarks", help="folder for data")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
