"""Run an experiment: each program in its own process, in turn, round by round."""

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.experiments import BASELINE, Contender, Experiment

__all__ = ["run_experiment"]

ENGINE_ROUNDS = 3
"""Turns of each engine of wtm on copies of the same state."""

_SCRIPTS = Path(__file__).parent / "peers"


class _ProgramFailedError(Exception):
    """A program ended early or took too long."""


class _Run:
    """A running program and its record. After a failure it gets no more commands."""

    def __init__(
        self, contender: Contender, experiment: Experiment, python: str, data: Path, log: Path, timeout: float
    ) -> None:
        self.contender = contender
        self.record: dict[str, Any] = {
            "program": contender.name, "threads": contender.threads, "epochs": [], "predictions": [], "copies": [],
        }  # fmt: skip
        self._timeout, self._log = timeout, log
        script, _, engine = contender.program.partition("-")
        command = [
            python, _SCRIPTS / f"run_{script}.py", "--data", data, "--threads", contender.threads,
            "--clauses", experiment.n_clauses, "--T", experiment.T, "--s", experiment.s, "--gamma", experiment.gamma,
            "--seed", experiment.seed, "--engine", engine or "lazy",
        ]  # fmt: skip
        with log.open("w") as errors:
            self._process = subprocess.Popen(
                [str(part) for part in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True
            )
        self.record.update(self._attempt(self._answer))

    @property
    def n_epochs(self) -> int:
        return len(self.record["epochs"])

    def train(self, round_number: int | None = None) -> None:
        self._do("train", "epochs", epoch=self.n_epochs + 1, round=round_number)

    def predict(self, round_number: int | None = None) -> None:
        command = "test" if round_number is None else "predict"
        self._do(command, "predictions", epoch=self.n_epochs, round=round_number)

    def copy(self, engine: str, round_number: int) -> None:
        self._do(f"copy {engine}", "copies", engine=engine, epoch=self.n_epochs + 1, round=round_number)

    def end(self) -> None:
        if memory := self._attempt(lambda: self._ask("memory")):
            self.record["memory"] = memory
            self._process.stdin.close()
            self._process.wait(self._timeout)

    def kill(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()

    def _do(self, command: str, kind: str, **labels: Any) -> None:
        if answer := self._attempt(lambda: self._ask(command)):
            self.record[kind].append({**labels, **answer})

    def _attempt(self, action: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        if "error" in self.record:
            return {}
        try:
            return action()
        except (_ProgramFailedError, OSError) as failure:
            self.kill()
            self.record["error"] = str(failure)
            _say(f"  {self.contender.name}: {failure}")
            return {}

    def _ask(self, command: str) -> dict[str, Any]:
        self._process.stdin.write(command + "\n")
        self._process.stdin.flush()
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        timer = threading.Timer(self._timeout, self._process.kill)
        timer.start()
        line = self._process.stdout.readline()
        timed_out = not timer.is_alive()
        timer.cancel()
        if line:
            return json.loads(line)
        code = self._process.wait()
        last = self._log.read_text(errors="replace").strip().splitlines()[-1:]
        raise _ProgramFailedError(f"over {self._timeout:g} s" if timed_out else " ".join([f"exit code {code}", *last]))


def run_experiment(
    experiment: Experiment, interpreters: dict[str, str], data: Path, folder: Path, timeout: float
) -> list[dict[str, Any]]:
    """Run an experiment.

    First each program trains one epoch, in turn; then each trains up to its first round; in each round, each program
    trains its epochs and predicts the test rows.

    Parameters
    ----------
    experiment : Experiment
    interpreters : dict of str to str
        The Python interpreter of each program; contenders without one are left out.
    data : Path
        See `prepare_data.prepare`.
    folder : Path
        Folder for what the programs print.
    timeout : float
        Seconds allowed for one command.

    Returns
    -------
    list of dict
        One record per program: its settings and all its times.
    """
    runs: list[_Run] = []
    start = time.monotonic()
    try:
        for contender in experiment.contenders:
            if contender.program not in interpreters:
                _say(f"  {contender.name}: no environment, left out")
                continue
            log = folder / f"{experiment.name}-{contender.program}-{contender.threads}.log"
            runs.append(_Run(contender, experiment, interpreters[contender.program], data, log, timeout))
        for run in runs:
            _train_to(run, 1, test=bool(experiment.whole_run))
        for run in runs:
            _compare_engines(run, experiment)
            _train_to(run, run.contender.first - 1, test=bool(experiment.whole_run))
            _say(f"  {run.contender.name}: {run.n_epochs} epochs, {time.monotonic() - start:.0f} s in all")
        for number in range(1, experiment.rounds + 1):
            for run in runs:
                for _ in range(run.contender.epochs_per_round):
                    run.train(number)
                run.predict(number)
            _say(f"  round {number}: {time.monotonic() - start:.0f} s in all")
        if experiment.whole_run:
            _train_to(runs[-1], experiment.whole_run, test=True)
        for run in runs:
            run.end()
    finally:
        for run in runs:
            run.kill()
    return [run.record for run in runs]


def _train_to(run: _Run, epoch: int, *, test: bool = False) -> None:
    for _ in range(run.n_epochs, epoch):
        run.train()
        if test:
            run.predict()


def _compare_engines(run: _Run, experiment: Experiment) -> None:
    """Train copies of the baseline with both engines, in turn, before each epoch to compare."""
    if run.contender.name != BASELINE:
        return
    for epoch in experiment.engines_at:
        _train_to(run, epoch - 1)
        for number in range(1, ENGINE_ROUNDS + 1):
            for engine in ("lazy", "direct"):
                run.copy(engine, number)


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
