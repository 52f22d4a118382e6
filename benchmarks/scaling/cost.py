"""The cost model: seconds of the processor, bytes of memory and bytes sent, from the sizes of a problem.

Bytes follow from the layout of arrays and have no fitted constants. Seconds are a sum of counts, each times a constant
that `fit_constants` finds from measurements; `TASK` and `PREDICTION` name the counts. How much feedback an epoch gives
is an input: it depends on the data and on how far training has gone, and the engine reports it.
"""

import heapq
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from scipy.optimize import nnls

BLOCK = 512  # examples that are evaluated at once, and literals that a row is padded to
WORD = 64
VOTE_BYTES = 8
PLACE_BYTES, ORDER_BYTES = 8, 16  # of `wtm.dask` for an example of a class: where its bits are; its turn and target
BLOCK_BYTES = 1 << 26  # of the packed rows that `wtm.dask` keeps together, about

TASK = ("example", "clause and block of 512 examples", "clause changed", "automaton of such a clause", "false feedback")
PREDICTION = ("feature and row", "clause and block of 512 rows", "different weight and block")


class Sizes(NamedTuple):
    """Sizes of a problem; `clauses` are those of each class."""

    rows: int
    features: int
    classes: int
    clauses: int


class Feedback(NamedTuple):
    """Examples that a class sees in an epoch, and its feedbacks to clauses that were true or false."""

    examples: float
    true: float
    false: float


# --- Seconds -------------------------------------------------------------------------------------------------


def automata_per_clause(features: int) -> int:
    """Automata of a clause: two per feature, padded to words."""
    return -(-2 * features // WORD) * WORD


def task_terms(sizes: Sizes, feedback: Feedback) -> np.ndarray:
    """Counts of the epoch of a class, in the order of `TASK`. Each clause changes once more at the end of the epoch."""
    changed = feedback.true + sizes.clauses
    blocks = np.ceil(feedback.examples / BLOCK)
    of_automata = changed * automata_per_clause(sizes.features)
    return np.array([feedback.examples, blocks * sizes.clauses, changed, of_automata, feedback.false])


def expected_feedback(sizes: Sizes, true_share: float, false_share: float) -> Feedback:
    """Feedback of a class of average size, from the shares of its visits of clauses by examples that give any."""
    examples = 2 * sizes.rows / sizes.classes
    visits = examples * sizes.clauses
    return Feedback(examples, true_share * visits, false_share * visits)


def prediction_terms(sizes: Sizes, n_weights: float) -> np.ndarray:
    """Counts of a prediction, in the order of `PREDICTION`: clauses of equal signed weight are counted together."""
    blocks = -(-sizes.rows // BLOCK)
    return np.array([sizes.rows * sizes.features, blocks * sizes.clauses * sizes.classes, blocks * n_weights])


def fit_constants(terms: np.ndarray, seconds: np.ndarray) -> np.ndarray:
    """Return the constants, none negative, with the least squares of relative errors."""
    constants, _ = nnls(terms / seconds[:, np.newaxis], np.ones(len(seconds)))
    return constants


def makespan(seconds: Iterable[float], n_workers: int) -> float:
    """Seconds until all tasks are done: each worker takes the longest task that is left, as `fit` hands them out."""
    free_at = [0.0] * n_workers
    for task in sorted(seconds, reverse=True):
        heapq.heapreplace(free_at, free_at[0] + task)
    return max(free_at)


# --- Memory --------------------------------------------------------------------------------------------------


def row_bytes(features: int) -> int:
    """Bytes of a packed row: a bit per literal, padded to 512."""
    return -(-2 * features // BLOCK) * BLOCK // 8


def machine_bytes(sizes: Sizes) -> int:
    """Bytes of the machine of a class: a byte and a bit per automaton, an exponent per clause, and 18 random words."""
    return sizes.clauses * (automata_per_clause(sizes.features) * 9 // 8 + 4) + BLOCK // 8 + 18 * 8


def schedule_bytes(examples: int) -> int:
    """Bytes of the schedule of a class: the number and the target of each example."""
    return 16 * examples


def drawing_bytes(rows: int) -> int:
    """Bytes at the peak of drawing an epoch for all classes."""
    return 80 * rows


def working_bytes(sizes: Sizes) -> int:
    """Bytes that the lazy engine takes while it trains a class: by slot of a clause, by clause, and by literal.

    A slot has outputs for 512 examples in two orders, and 18 bytes; a clause has a watch list of 144 entries and a
    place in a list; a literal has a column of 512 examples.
    """
    slots = 2 * -(-(sizes.clauses // 2) // BLOCK) * BLOCK
    return slots * (2 * BLOCK // 8 + 18) + sizes.clauses * (4 * 144 + 8) + 2 * sizes.features * BLOCK // 8


def fit_bytes(sizes: Sizes, n_threads: int, n_shards: int = 1) -> int:
    """Bytes of a fit in threads, which share rows and machines.

    Rows are copied when they are put in order, and machines that are trained when they are cut into shards.
    """
    rows = sizes.rows * (row_bytes(sizes.features) + 8)
    at_once = min(n_threads, sizes.classes)
    machines = (sizes.classes + at_once * (n_shards > 1)) * machine_bytes(sizes)
    return rows + max(rows, machines + drawing_bytes(sizes.rows) + at_once * working_bytes(sizes))


def joblib_worker_bytes(sizes: Sizes) -> int:
    """Bytes of a process that has all rows, draws the epoch, and trains one class at a time.

    There are four machines: the one that came, its copy that is trained, the one before, and the next.
    """
    rows = sizes.rows * (row_bytes(sizes.features) + 8)
    return rows + drawing_bytes(sizes.rows) + 4 * machine_bytes(sizes) + working_bytes(sizes)


def dask_worker_bytes(sizes: Sizes, n_workers: int) -> int:
    """Bytes of the worker of `wtm.dask` that has most: blocks, the index of all rows and the plan of an epoch.

    A task has the rows of a class in pieces and joined. Machines come with their tasks, and those that are trained wait
    until all are.
    """
    rows, examples = sizes.rows * row_bytes(sizes.features), -(-2 * sizes.rows // sizes.classes)
    n_blocks = -(-rows // BLOCK_BYTES)
    blocks = -(-n_blocks // n_workers) * -(-rows // n_blocks)
    index_and_plan = sizes.rows * (16 + 2 * (PLACE_BYTES + ORDER_BYTES))
    of_class = 2 * examples * row_bytes(sizes.features) + working_bytes(sizes)
    machines = (2 * -(-sizes.classes // n_workers) + 1) * machine_bytes(sizes)
    return blocks + index_and_plan + max(drawing_bytes(sizes.rows), of_class) + machines


def prediction_bytes(sizes: Sizes, literals: int) -> int:
    """Bytes of a model for prediction, and of the sums of votes of all rows."""
    clauses = sizes.classes * sizes.clauses
    return 4 * literals + 8 * (2 * clauses + 1) + VOTE_BYTES * sizes.rows * sizes.classes


# --- Bytes sent ----------------------------------------------------------------------------------------------


def machines_sent(sizes: Sizes) -> int:
    """Bytes of all machines, to the workers and back; each way they pass the scheduler, which sends them again."""
    return 4 * sizes.classes * machine_bytes(sizes)


def sums_sent(sizes: Sizes) -> int:
    """Bytes of the sums of votes of up to 5,000 rows, which come back by the scheduler after each epoch."""
    return 2 * sizes.classes * VOTE_BYTES * min(sizes.rows, 5_000)


def joblib_sent(sizes: Sizes, n_workers: int, n_epochs: int) -> int:
    """Bytes of a round of epochs of joblib's backend of Dask.

    Rows go to the scheduler, from there to one worker, and from worker to worker until all have them.
    """
    rows = (n_workers + 1) * sizes.rows * (row_bytes(sizes.features) + 8)
    return rows + machines_sent(sizes) + n_epochs * sums_sent(sizes)


def dask_rows_sent(sizes: Sizes, n_workers: int) -> int:
    """Bytes of rows per epoch of `wtm.dask`: each row trains two classes, mostly on another worker than its own."""
    return 2 * sizes.rows * row_bytes(sizes.features) * (n_workers > 1)


def dask_plan_sent(sizes: Sizes, n_workers: int) -> int:
    """Bytes per epoch of `wtm.dask` that say which rows a class sees: all workers get places, and one the order."""
    return 2 * sizes.rows * (n_workers - 1) * (n_workers * PLACE_BYTES + ORDER_BYTES) // n_workers


def dask_sent(sizes: Sizes, n_workers: int) -> int:
    """Bytes of an epoch of `wtm.dask` that is a round of its own."""
    rows_and_plan = dask_rows_sent(sizes, n_workers) + dask_plan_sent(sizes, n_workers)
    return rows_and_plan + machines_sent(sizes) + sums_sent(sizes)


def votes_sent(sizes: Sizes, n_shards: int) -> int:
    """Bytes per epoch of the votes of clause shards: each shard sends its sums once, and gets the totals once."""
    return 2 * n_shards * VOTE_BYTES * 2 * sizes.rows


def exchanges(sizes: Sizes, vote_block: int) -> int:
    """Exchanges of votes per epoch of a class of average size: one before the first block, and one after each."""
    return 1 + -(-2 * sizes.rows // (sizes.classes * vote_block))
