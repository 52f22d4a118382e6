"""What a fit will need of the memory, so that one which can't end is not begun."""

from wtm.machine.machine_parameters import MachineParameters
from wtm.machine.schedule import BYTES_AN_EXAMPLE
from wtm.utils.memory_limits import check_memory

__all__ = ["bytes_of_fit", "check_fit"]

_VOTING_BYTES_A_CLAUSE = 40  # see wtm.machine.voting.VotingModel, which counts its literals itself when they are known
_START_BYTES_A_WORD = 80  # the coins of init="random"


def check_fit(
    parameters: MachineParameters, n_classes: int, n_examples: int, *, n_threads: int, keeps_best: bool
) -> None:
    """Refuse a fit that memory can't hold; parameters are those of `bytes_of_fit`.

    Raises
    ------
    MemoryError
        It says which parameters make it large.
    """
    needed = bytes_of_fit(parameters, n_classes, n_examples, n_threads=n_threads, keeps_best=keeps_best)
    remedies = ["A smaller n_clauses", "fewer features"]
    if min(n_threads, n_classes) > 1:
        remedies.append("a smaller n_jobs")
    if keeps_best:
        remedies.append("early_stopping=False, which keeps no second copy,")
    check_memory(
        needed,
        f"Training with n_clauses={parameters.n_clauses} ({n_classes} machines of {parameters.n_clauses:,} clauses and "
        f"{parameters.n_literals:,} literals, {n_examples:,} examples an epoch)",
        f"{', '.join(remedies[:-1])} or {remedies[-1]} would take less.",
    )


def bytes_of_fit(
    parameters: MachineParameters, n_classes: int, n_examples: int, *, n_threads: int, keeps_best: bool
) -> int:
    """The most bytes that a fit holds at a time, beside its data and the literals that its clauses come to include.

    Parameters
    ----------
    parameters : MachineParameters
    n_classes : int
    n_examples : int
        Of an epoch without weights: `wtm.machine.schedule` counts those of weighted rows itself.
    n_threads : int
        Threads that train, each one class at a time.
    keeps_best : bool
        Whether the state of the best epoch is kept beside that of the last.
    """
    machines = n_classes * parameters.n_bytes
    n_words = parameters.n_clauses * parameters.n_words
    start = n_words * _START_BYTES_A_WORD if parameters.init == "random" else 0
    epoch = min(n_threads, n_classes) * parameters.work_bytes + n_examples * BYTES_AN_EXAMPLE
    voting = n_classes * parameters.n_clauses * _VOTING_BYTES_A_CLAUSE
    return machines * (1 + keeps_best) + max(start, epoch, voting)
