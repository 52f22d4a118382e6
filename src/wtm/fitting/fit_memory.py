"""The memory that a fit needs, so that a fit which can't finish is refused at the start."""

from wtm.machine.machine_parameters import MachineParameters
from wtm.machine.schedule import BYTES_PER_EXAMPLE
from wtm.utils.memory_limits import check_memory
from wtm.utils.printable import counted

_VOTING_BYTES_PER_CLAUSE = 80  # of a VotingModel and its plan, which counts its literals itself once they are known
_START_BYTES_PER_WORD = 80  # for the coins of init="random"


def check_fit(
    parameters: MachineParameters, n_machines: int, n_examples: int, *, n_threads: int, keeps_best: bool
) -> None:
    """Check that memory can hold a fit; parameters are those of `bytes_of_fit`.

    Raises
    ------
    MemoryError
        It can't. The message names the parameters that make the fit large.
    """
    needed = bytes_of_fit(parameters, n_machines, n_examples, n_threads=n_threads, keeps_best=keeps_best)
    remedies = ["a smaller n_clauses", "fewer features"]
    if min(n_threads, n_machines) > 1:
        remedies.append("a smaller n_jobs")
    if keeps_best:
        remedies.append("early_stopping=False, which keeps no second copy")
    check_memory(
        needed,
        f"Training with n_clauses={parameters.n_clauses} ({counted(n_machines, 'machine')} of "
        f"{parameters.n_clauses:,} clauses and {parameters.n_literals:,} literals, {n_examples:,} examples per epoch)",
        f"Use {', '.join(remedies[:-1])} or {remedies[-1]}.",
    )


def bytes_of_fit(
    parameters: MachineParameters, n_machines: int, n_examples: int, *, n_threads: int, keeps_best: bool
) -> int:
    """Peak memory of a fit, besides its data and the list of the literals that its clauses include.

    Parameters
    ----------
    parameters : MachineParameters
    n_machines : int
    n_examples : int
        Examples of an epoch without weights: `wtm.machine.schedule` counts those of weighted rows itself.
    n_threads : int
        Threads that train, each one machine at a time.
    keeps_best : bool
        Whether a copy of the best state is kept.
    """
    machines = n_machines * parameters.n_bytes
    n_words = parameters.n_clauses * parameters.n_words
    start = n_words * _START_BYTES_PER_WORD if parameters.init == "random" else 0
    epoch = min(n_threads, n_machines) * parameters.work_bytes + n_examples * BYTES_PER_EXAMPLE
    voting = n_machines * parameters.n_clauses * _VOTING_BYTES_PER_CLAUSE
    return machines * (1 + keeps_best) + max(start, epoch, voting)
