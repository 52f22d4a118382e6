"""The speed of the authors' program, of its repetition draw by draw, and of wtm, on one thread of this machine.

`python -m studies.program_speed SOURCES` compiles the program with its own makefile, from a checkout of its repository,
which needs make and g++. It trains MNIST's small and large WTM with each of the three and writes a file for
`wtm reproduce report`. All times are the processor's, of training alone.
"""

import argparse
import os
import re
import shutil
import subprocess
import tempfile
import time
from functools import partial
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np

from studies.authors_program import Program
from studies.command_line import run_command
from studies.designs import PROGRAM_SEED
from wtm.machine.class_machine import Machine
from wtm.machine.machine_parameters import MachineParameters
from wtm.machine.schedule import draw_schedule
from wtm.paper.environment import environment
from wtm.paper.json_files import check_absent, prepare_folder, write_json
from wtm.paper.problem import Problem, load_problem
from wtm.paper.report.program_speed import RESULTS
from wtm.paper.report.provenance import AUTHORS
from wtm.paper.settings import PRESETS, Preset, Setting, large_machines
from wtm.paper.text_table import say

SIZES = {PRESETS["mnist"][Preset.LIGHT][0].setting: 5, large_machines("mnist")[0]: 1}
"""Epochs by machine: the program takes more than a minute for one of the large machine."""

_LINE = re.compile(r"epoch \d+ of training and testing - (\d+)s and \d+s - +([\d.]+)% +and +([\d.]+)%")


def measure_speed(sources: Path, data_dir: Path | None, path: Path) -> None:
    """Time the epochs of all machines with each program; write the file after each machine.

    Raises
    ------
    OSError, ValueError
        The file exists or can't be written, the data are missing, or the program can't be compiled.
    """
    check_absent(path, resumable=False)
    prepare_folder(path.parent)
    check_sources(sources)
    problem = load_problem("mnist", data_dir)
    machines: list[dict[str, Any]] = []
    repeat, train_wtm = partial(_repeat_program, problem), partial(_train_wtm, problem)
    with tempfile.TemporaryDirectory() as folder:
        program = compile_program(sources, Path(folder))
        write_data(problem, Path(folder) / "data")
        for setting, n_epochs in SIZES.items():
            say(f"{setting}, {n_epochs} epochs: the program, its repetition, wtm")
            timed, loads = {}, [os.getloadavg()[0]]
            for name, train in (("program", partial(run_program, program)), ("repetition", repeat), ("wtm", train_wtm)):
                timed[name] = train(setting, n_epochs)
                loads.append(os.getloadavg()[0])
            machines.append({"n_clauses": setting.n_clauses, **timed, "load": mean(loads)})
            write_json(path, {"kind": "program speed", "machines": machines, **environment()})
    say(f"Results written to {path}")


def check_sources(sources: Path) -> None:
    """Check that the program can be compiled from a folder, as far as can be seen beforehand."""
    if missing := [name for name in ("makefile", "utils.h") if not (sources / name).is_file()]:
        raise ValueError(f"SOURCES: {sources} has no {' and no '.join(missing)}. Pass a checkout of {AUTHORS}.")
    if not shutil.which("make"):
        raise ValueError("The program can't be compiled: install make and g++.")


def _run(command: list[Any], folder: Path) -> str:
    """Run a command in a folder; return its output, or raise ValueError with the last line that it wrote."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        *_, last = ["", *(done.stderr or done.stdout).strip().splitlines()]
        raise ValueError(f"{' '.join(map(str, command))} failed with exit code {done.returncode}: {last}")
    return done.stdout


def compile_program(sources: Path, folder: Path) -> Path:
    """Compile the authors' program in a folder, with times in milliseconds instead of seconds; return its path."""
    for path in (*sources.glob("*.h"), *sources.glob("*.cpp"), sources / "makefile"):
        shutil.copy(path, folder)
    utils = folder / "utils.h"
    utils.write_text(utils.read_text(encoding="utf-8").replace("CLOCKS_PER_SEC", "1000"), encoding="utf-8")
    _run(["make", "mnist"], folder)
    return folder / "mnist"


def write_data(problem: Problem, folder: Path) -> None:
    """Write the files that the program reads: a row per line, its bits and its label, one digit each."""
    folder.mkdir()
    for part in ("train", "test"):
        X, y = getattr(problem.dataset, f"X_{part}"), getattr(problem.dataset, f"y_{part}")
        digits = np.column_stack([X, y.astype(np.uint8)]) + ord("0")
        text = np.full((len(y), 2 * digits.shape[1]), ord(" "), np.uint8)
        text[:, ::2], text[:, -1] = digits, ord("\n")
        (folder / f"mnist-{part}.data").write_bytes(text.tobytes())


def run_program(program: Path, setting: Setting, n_epochs: int) -> dict[str, list[float]]:
    """Run the program with its default initial state; return seconds and test accuracy of each epoch."""
    options = {"-c": setting.n_clauses, "-p": setting.p_s, "-t": setting.T, "-g": setting.gamma, "-e": n_epochs}
    arguments = [str(part) for option in options.items() for part in option]
    epochs = _LINE.findall(_run([program, *arguments], program.parent))
    return {
        "seconds": [int(milliseconds) / 1000 for milliseconds, _, _ in epochs],
        "test_accuracy": [round(float(test) / 100, 4) for _, _, test in epochs],
    }


def _repeat_program(problem: Problem, setting: Setting, n_epochs: int) -> dict[str, list[float]]:
    Program(problem, SMALLEST, PROGRAM_SEED).epoch()  # compiles, or reads the compiled kernels from disk
    program = Program(problem, setting, PROGRAM_SEED)
    for _ in range(n_epochs):
        program.epoch()
    return {"seconds": program.seconds, "test_accuracy": [round(a, 4) for a in program.columns["test_accuracy"]]}


SMALLEST = Setting("WTM", 2, 0.5, 0.1, 1)
"""Compiles what larger machines call."""


def _train_wtm(problem: Problem, setting: Setting, n_epochs: int) -> dict[str, Any]:
    training, n_classes = problem.packed("train").by_content(), len(problem.classes)
    for machine in (SMALLEST, setting):
        parameters = MachineParameters(
            n_features=problem.description["features"],
            n_clauses=machine.n_clauses,
            T=float(machine.T),
            s=1 / machine.p_s,
            gamma=machine.gamma,
        )
        machines = [Machine.new(parameters, 0, i) for i in range(n_classes)]
        seconds = []
        for epoch in range(n_epochs):
            n_seen = epoch * len(training.labels)
            start = time.process_time()
            schedule = draw_schedule(training.labels, n_classes, seed=0, n_seen=n_seen, shuffle=True)
            for of_class, part in zip(machines, schedule, strict=True):
                of_class.train(training.examples.literals, part)
            seconds.append(time.process_time() - start)
    return {"seconds": seconds}


def main() -> None:
    """Read the command line, and measure."""
    parser = argparse.ArgumentParser(description="Time the authors' program, its repetition, and wtm on MNIST.")
    parser.add_argument("sources", type=Path, help="folder with the sources of the authors' program")
    parser.add_argument("--data-dir", type=Path, help="folder with the data sets; default: $WTM_DATA")
    parser.add_argument("--out", type=Path, default=Path("results") / RESULTS, help="file for the results")
    given = parser.parse_args()
    measure_speed(given.sources, given.data_dir, given.out)


if __name__ == "__main__":
    run_command(main)
