"""Time epochs and predictions of this version and of another one in turn; docs/performance.md has the figures.

    python -m benchmarks.versions --data-dir DIR [--revision REV] [--experiments mnist-best,...] [--rounds 5]
                                  [--classes N] [--epochs 1,10,40,200] [--processor x86-64-v3]

Each version trains up to the epochs to time. Then processes of both take turns, each of which continues from these
states. Seconds are processor time of one thread. Digests of automata, weights and class sums show whether the models
are the same. The runs are appended to benchmarks/results/versions.jsonl; `python -m benchmarks.compare --report-only`
writes the page from them.
"""

import argparse
import io
import json
import os
import shutil
import statistics
import subprocess
import sys
import tarfile
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.experiments import EXPERIMENTS, Experiment, choose
from benchmarks.prepare_data import prepare
from benchmarks.version_times import N_PREDICTIONS
from wtm.paper.environment import environment
from wtm.paper.text_table import Table

ROOT = Path(__file__).resolve().parent.parent
RESULTS = Path(__file__).parent / "results" / "versions.jsonl"
FIRST_MEASURED = "b19b6f3"
DEFAULT = "mnist-best,connect-4-light,imdb-light"
EPOCHS = {"mnist-best": "1,10,40,200", "connect-4-light": "1,10,40", "imdb-light": "1,10"}

Session = dict[str, Any]
"""One experiment with two versions: a line of the file of results."""


def main(arguments: list[str] | None = None) -> None:
    """Run the command; see the module."""
    options = _options(arguments)
    options.work.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        sources = {"before": _checkout(options.revision, Path(folder)), "now": _copy_of_now(Path(folder))}
        revisions = {"before": options.revision, "now": _described_revision()}
        for experiment in choose(options.experiments.split(","), peers=[]):
            session = _compare(experiment, sources, revisions, Path(folder), options)
            with options.out.open("a", encoding="utf-8") as results:
                results.write(json.dumps(session) + "\n")
            print(_table(session), flush=True)


def _checkout(revision: str, folder: Path) -> Path:
    """Write the package as it was at a revision below `folder`; return the folder to import it from."""
    packed = subprocess.run(["git", "-C", ROOT, "archive", revision, "src"], capture_output=True, check=True)
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return folder / "src"


def _copy_of_now(folder: Path) -> Path:
    """Copy the package below `folder`, so that it can be edited while it is timed; return the folder to import from."""
    return shutil.copytree(ROOT / "src", folder / "now", ignore=shutil.ignore_patterns("__pycache__"))


def _compare(
    experiment: Experiment,
    sources: dict[str, Path],
    revisions: dict[str, str],
    folder: Path,
    options: argparse.Namespace,
) -> Session:
    about = {"session": datetime.now(UTC).isoformat(timespec="seconds"), "revisions": revisions}
    data = prepare(experiment.dataset, experiment.n_train, experiment.n_test, options.data_dir, options.work)
    names = ("n_clauses", "T", "s", "gamma", "seed", "n_train", "n_test")
    setting = {name: getattr(experiment, name) for name in names}
    epochs = options.epochs or EPOCHS.get(experiment.name, "1,10")
    setting |= {"epochs": [int(epoch) for epoch in epochs.split(",")], "n_classes": options.classes}

    def run(command: str, version: str) -> str:
        states = folder / f"{experiment.name}-{version}"
        states.mkdir(exist_ok=True)
        script = Path(__file__).with_name("version_times.py")
        arguments = [sys.executable, script, command, data, states, json.dumps(setting)]
        process_environment = _environment(sources[version], folder / f"kernels-{version}", options.processor)
        return subprocess.run(arguments, env=process_environment, stdout=subprocess.PIPE, text=True, check=True).stdout

    for version in sources:
        print(f"{experiment.name}: training with the version of {version}", file=sys.stderr, flush=True)
        run("train", version)
    rounds: list[dict[str, Any]] = []
    for number in range(options.rounds):
        order = list(sources) if number % 2 == 0 else list(sources)[::-1]
        rounds.append({version: json.loads(run("time", version)) for version in order})
    found = environment()
    if options.processor:
        found["machine"]["llvm_target"] = options.processor
    return {
        **about,
        "experiment": experiment.name,
        "setting": setting,
        "machine": found["machine"],
        "versions": found["versions"],
        "rounds": rounds,
    }


def _environment(source: Path, kernels: Path, processor: str | None) -> dict[str, str]:
    """Environment of a process that imports wtm from `source`."""
    one_thread = {f"{library}_NUM_THREADS": "1" for library in ("NUMBA", "OMP", "OPENBLAS", "MKL")}
    target = {"NUMBA_CPU_NAME": processor, "NUMBA_CPU_FEATURES": ""} if processor else {}
    return os.environ | one_thread | target | {"PYTHONPATH": str(source), "NUMBA_CACHE_DIR": str(kernels)}


def _described_revision() -> str:
    """Return the last commit that changed the package, with "-dirty" if files differ from it."""

    def git(*arguments: str) -> str:
        command = ["git", "-C", str(ROOT), *arguments, "--", "src"]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    return git("log", "-1", "--format=%h") + ("-dirty" if git("status", "--porcelain") else "")


# --- The section of the page -----------------------------------------------------------------------------------


def read_sessions(path: Path = RESULTS) -> list[Session]:
    """Return the newest session of each experiment and kind of processor."""
    newest: dict[tuple[str, str], Session] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        session = json.loads(line)
        newest[session["experiment"], session["machine"]["llvm_target"]] = session
    return list(newest.values())


def section(sessions: list[Session]) -> str:
    """Return the section of docs/performance.md."""
    return (
        "## Next to the first version measured\n\n"
        "`python -m benchmarks.versions` runs both versions in turn, each round in processes of their own, which "
        "continue from\nstates that were trained before. Seconds are processor time of one thread: the smallest of all "
        "rounds. *Ratio* is the\ntime of this version divided by that of the other one in the same round: median, "
        "smallest and largest. Models are\n*equal* if all automata, weights and class sums of the test rows are. "
        f"Predictions are the best of {N_PREDICTIONS} in\neach process. Peaks are those of whole processes. Other "
        "work on the machine makes all seconds longer.\n\n" + "\n".join(_table(session) for session in sessions)
    )


def _table(session: Session) -> str:
    rounds, setting, machine = session["rounds"], session["setting"], session["machine"]
    rows = []
    for name in rounds[0]["now"]["seconds"]:
        before, now = ([one[version]["seconds"][name] for one in rounds] for version in ("before", "now"))
        rows.append([name, f"{min(before):.4f}", f"{min(now):.4f}", _ratio(now, before), _equal(rounds, name)])
    before, now = ([one[version]["peak_mib"] for one in rounds] for version in ("before", "now"))
    if None not in (*before, *now):
        peaks = [f"{statistics.median(peaks):,.0f} MiB" for peaks in (before, now)]
        rows.append(["peak memory", *peaks, _ratio(now, before), ""])
    revisions = session["revisions"]
    heads = [_title(session["experiment"]), *(f"{revisions[version]}, s" for version in ("before", "now")), "ratio"]
    classes = f", the first {setting['n_classes']} classes" if setting["n_classes"] else ""
    n_rows = f", {setting['n_train']:,} training rows" if setting["n_train"] else ""
    versions = ", ".join(f"{name} {version}" for name, version in session["versions"].items())
    return (
        f"{Table([*heads, 'models'], rows).markdown()}\n\n"
        f"{setting['n_clauses']:,} clauses per class, T {setting['T']:g}, s {setting['s']:.5g}, gamma "
        f"{setting['gamma']:g}, seed {setting['seed']}{classes}{n_rows}; rounds: {len(rounds)}.\n"
        f"{session['session'][:16].replace('T', ' ')} UTC; {machine['processor']} (LLVM: {machine['llvm_target']}), "
        f"cores: {machine['cores']}; {versions}.\n"
    )


def _title(experiment: str) -> str:
    return next((known.title for known in EXPERIMENTS if known.name == experiment), experiment)


def _ratio(now: list[float], before: list[float]) -> str:
    ratios = [a / b for a, b in zip(now, before, strict=True)]
    return f"{statistics.median(ratios):.2f} ({min(ratios):.2f}–{max(ratios):.2f})"


def _equal(rounds: list[dict[str, Any]], name: str) -> str:
    digests = {one[version]["digests"].get(name) for one in rounds for version in ("before", "now")}
    return "" if None in digests else "equal" if len(digests) == 1 else "differ"


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-dir", help="folder with the data sets; default: WTM_DATA")
    parser.add_argument("--revision", default=FIRST_MEASURED, help="the other version; default: the first one measured")
    parser.add_argument("--experiments", default=DEFAULT, help="names from benchmarks/experiments.py")
    parser.add_argument("--epochs", help="epochs to time, separated by commas; default: some for each experiment")
    parser.add_argument("--classes", type=int, help="take rows of this many classes, which is quicker; default: all")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--processor", help="processor to compile for, by LLVM's name; default: this one")
    parser.add_argument("--out", type=Path, default=RESULTS, help="file to append the results to")
    parser.add_argument("--work", type=Path, default=ROOT / "out" / "benchmarks", help="folder for data")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main()
