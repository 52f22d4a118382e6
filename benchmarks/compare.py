"""Time wtm and other Tsetlin machine programs side by side on the same data, and write docs/performance.md.

    python -m benchmarks.compare --data-dir DIR [--venvs DIR] [--experiments mnist,connect-4,imdb] [--quick]
    python -m benchmarks.compare --report-only

Each run is appended to the file of results; the page shows the newest run of each experiment. benchmarks/peers/setup.sh
makes the environments of the peers. Results are medians over rounds, in which each program has its turn.
"""

import argparse
import json
import subprocess
import sys
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from llvmlite.binding import get_host_cpu_features

from benchmarks.experiments import Experiment, choose
from benchmarks.performance_page import read_results, write_report
from benchmarks.prepare_data import prepare
from benchmarks.runner import run_experiment
from wtm.paper.environment import environment

ROOT = Path(__file__).resolve().parent.parent
VECTORS = ("sse4.2", "avx2", "avx512f", "avx512bw", "avx512vbmi", "neon", "sve")
"""Vector instructions that a processor may have, by LLVM's names."""
PEERS = ("ptm", "ptmp", "tmu", "green")


def main() -> int:
    """Run the command; see the module."""
    options = _options()
    try:
        if not options.report_only:
            _run_all(options)
        write_report(read_results(options.results), options.report)
    except (ValueError, FileNotFoundError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(f"Written: {options.report}", file=sys.stderr)
    return 0


def _run_all(options: argparse.Namespace) -> None:
    peers = [name for name in options.peers.split(",") if name] if options.venvs else []
    if unknown := set(peers) - set(PEERS):
        raise ValueError(f"--peers must name some of {', '.join(PEERS)}, got {', '.join(sorted(unknown))}.")
    experiments = choose(options.experiments.split(","), peers=peers, quick=options.quick, rounds=options.rounds)
    for folder in (options.work, options.results.parent):
        folder.mkdir(parents=True, exist_ok=True)
    for experiment in experiments:
        _run(experiment, peers, options)


def _run(experiment: Experiment, peers: list[str], options: argparse.Namespace) -> None:
    print(f"{experiment.name}: {experiment.title}", file=sys.stderr, flush=True)
    data = prepare(experiment.dataset, experiment.n_train, experiment.n_test, options.data_dir, options.work)
    interpreters = {"wtm": sys.executable, "wtm-direct": sys.executable}
    for peer in peers:
        python = options.venvs / peer / "bin" / "python"
        if python.exists():
            interpreters[peer] = str(python)
    session = {
        "session": datetime.now(UTC).isoformat(timespec="seconds"),
        "experiment": experiment.name,
        "setting": {name: value for name, value in asdict(experiment).items() if name not in ("name", "contenders")},
        **environment(),
        "revision": _revision(),
        "vectors": [name for name in VECTORS if get_host_cpu_features().get(name)],
    }
    records = run_experiment(experiment, interpreters, data, options.work, options.timeout)
    with options.results.open("a", encoding="utf-8") as results:
        for record in records:
            results.write(json.dumps({**session, **record}) + "\n")


def _revision() -> str:
    """Return the commit that is checked out, with "-dirty" if files differ from it; empty if git does not know it."""
    command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--exclude=*"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-dir", help="folder with the data sets; default: WTM_DATA")
    parser.add_argument("--venvs", type=Path, help="folder with the peers' environments; without it, only wtm runs")
    parser.add_argument("--peers", default=",".join(PEERS), help="peers that take part, separated by commas")
    parser.add_argument(
        "--experiments", default="mnist,connect-4,imdb",
        help="experiments, by name or the start of the name, separated by commas; digits is a quick trial",
    )  # fmt: skip
    parser.add_argument("--quick", action="store_true", help="at most two rounds, and peers with one thread only")
    parser.add_argument("--rounds", type=int, help="number of rounds, instead of each experiment's own")
    parser.add_argument("--report-only", action="store_true", help="write the page from the stored results")
    parser.add_argument("--results", type=Path, default=ROOT / "benchmarks" / "results" / "runs.jsonl")
    parser.add_argument("--report", type=Path, default=ROOT / "docs" / "performance.md")
    parser.add_argument("--work", type=Path, default=ROOT / "out" / "benchmarks", help="folder for data and logs")
    parser.add_argument("--timeout", type=float, default=900, help="seconds allowed for one epoch")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
