"""The experiments that `benchmarks.compare` runs, as a table."""

from dataclasses import dataclass, replace

__all__ = ["BASELINE", "EXPERIMENTS", "Contender", "Experiment", "choose"]


@dataclass(frozen=True)
class Contender:
    """A program that takes part in an experiment.

    Attributes
    ----------
    program : str
        "wtm" with the lazy engine, "wtm-direct", or a peer: the name of its script and of its environment.
    threads : int
    first : int
        First epoch of its rounds. Slow programs start early: their time per epoch hardly changes after the first few.
    epochs_per_round : int
        Epochs that it trains per round.
    """

    program: str
    threads: int = 1
    first: int = 3
    epochs_per_round: int = 1

    @property
    def name(self) -> str:
        """Name in tables."""
        return f"{self.program}, {self.threads} thread{'s' * (self.threads > 1)}"


BASELINE = "wtm, 1 thread"
"""The contender that all ratios compare with."""


@dataclass(frozen=True)
class Experiment:
    """Programs that take turns on the same data with the same settings.

    Attributes
    ----------
    name : str
        Begins with the name of the data set.
    title : str
    n_clauses : int
        Clauses per class.
    T, s, gamma : float
    contenders : tuple of Contender
    rounds : int
        Turns of each program.
    n_train, n_test : int or None
        Number of rows to use, from the first; None uses all.
    engines_at : tuple of int
        Epochs that both engines of wtm train, in turn, on copies of the baseline.
    whole_run : int
        Epochs of the last contender in all, with a test after each; 0 for its rounds only.
    seed : int
    """

    name: str
    title: str
    n_clauses: int
    T: float
    s: float
    gamma: float
    contenders: tuple[Contender, ...]
    rounds: int = 3
    n_train: int | None = None
    n_test: int | None = None
    engines_at: tuple[int, ...] = ()
    whole_run: int = 0
    seed: int = 1

    @property
    def dataset(self) -> str:
        """The data set's name."""
        return next(name for name in DATASETS if self.name.startswith(name))


DATASETS = ("digits", "mnist", "connect-4", "imdb")

_PEERS = (
    Contender("ptm"),
    Contender("ptmp"),
    Contender("ptmp", threads=2),
    Contender("tmu"),
    Contender("green"),
    Contender("green", threads=2),
)
_SLOW_PEERS = tuple(replace(peer, first=2) for peer in _PEERS)
_WTM_TWICE = (Contender("wtm", first=10, epochs_per_round=4), Contender("wtm", threads=2, first=10, epochs_per_round=4))
_DIRECT = Contender("wtm-direct", first=10)

EXPERIMENTS = (
    Experiment(
        "digits-trial", "Digits, a trial of every program", 200, 20, 10, 0.0,
        (*_WTM_TWICE, _DIRECT, *_PEERS), engines_at=(2, 5),
    ),
    Experiment(
        "mnist-engines", "MNIST, lazy and direct engine from the same state", 2_000, 50, 1 / 0.085, 0.012,
        (Contender("wtm", first=51),), rounds=1, engines_at=(2, 10, 50),
    ),
    Experiment(
        "mnist-500", "MNIST, 500 clauses per class, without weights", 500, 25, 11.76, 0.0,
        (*_WTM_TWICE, _DIRECT, *_PEERS),
    ),
    Experiment(
        "mnist-2000", "MNIST, 2,000 clauses per class, without weights", 2_000, 50, 1 / 0.085, 0.0,
        (*_WTM_TWICE, *_SLOW_PEERS), rounds=2,
    ),
    Experiment(
        "mnist-best", "MNIST, the paper's best setting", 4_000, 90, 1 / 0.085, 0.012,
        (Contender("wtm", first=40), Contender("wtm", threads=2, first=40)), whole_run=200,
    ),
    Experiment(
        "connect-4-light", "Connect-4, the authors' light setting", 200, 12, 1 / 0.037, 0.0001,
        (*_WTM_TWICE, _DIRECT, *_PEERS),
    ),
    Experiment(
        "connect-4-best", "Connect-4, the paper's best setting", 25_000, 100, 1 / 0.0065, 0.0007,
        (Contender("wtm", first=5), Contender("wtm", threads=2, first=5)), rounds=2,
    ),
    Experiment(
        "imdb-light", "IMDb, the authors' light setting on 2,500 reviews", 3_200, 12, 1 / 0.012, 0.0006,
        (*_WTM_TWICE, Contender("wtm-direct", first=2), *_SLOW_PEERS), rounds=2, n_train=2_500, n_test=2_500,
    ),
    Experiment(
        "imdb-best", "IMDb, the paper's best setting", 25_000, 60, 1 / 0.008, 0.006,
        (Contender("wtm", first=3), Contender("wtm", threads=2, first=3)), rounds=2,
    ),
)  # fmt: skip


def choose(names: list[str], *, peers: list[str], quick: bool = False, rounds: int | None = None) -> list[Experiment]:
    """Select experiments by name or by the start of their names, and the peers that take part.

    `quick` limits them to two rounds and to peers with one thread; `rounds` sets the number of rounds.

    Raises
    ------
    ValueError
        No experiment has such a name.
    """
    unknown = [name for name in names if not any(e.name.startswith(name) for e in EXPERIMENTS)]
    if unknown:
        known = ", ".join(e.name for e in EXPERIMENTS)
        raise ValueError(f"No experiment starts with {unknown[0]!r}; choose from {known}.")
    chosen = [e for e in EXPERIMENTS if any(e.name.startswith(name) for name in names)]
    chosen = [_cut(experiment, peers, quick) for experiment in chosen]
    return [replace(e, rounds=rounds) for e in chosen] if rounds else chosen


def _cut(experiment: Experiment, peers: list[str], quick: bool) -> Experiment:
    contenders = tuple(c for c in experiment.contenders if c.program.startswith("wtm") or c.program in peers)
    if not quick:
        return replace(experiment, contenders=contenders)
    one_thread = tuple(c for c in contenders if c.threads == 1 or c.program == "wtm")
    return replace(experiment, contenders=one_thread, rounds=min(2, experiment.rounds))
