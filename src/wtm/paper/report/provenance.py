"""Where results come from: code, data, machines, and the time that they took."""

from collections import Counter
from collections.abc import Iterator
from itertools import chain
from typing import Any

from wtm.paper.report.result_folder import Results
from wtm.paper.settings import NAMES_BY_RECIPE

AUTHORS = "github.com/adrianphoulady/weighted-tsetlin-machine-cpp, revision bb6046d"


def provenance(results: Results) -> Iterator[str]:
    """Yield the items of a list."""
    yield f"Authors' program: {AUTHORS}."
    origins = results.origins()
    yield (
        f"Revisions of this code: {_counted(origins, 'revision', 7)}. Digests of its kernels: "
        f"{_counted(origins, 'kernel_digest', 16)}. In brackets the number of results; the others are older than these "
        "entries. `requirements-reproduction.txt` has the exact versions."
    )
    yield (
        "`wtm reproduce verify` trains the first two epochs of each training above again, and fails unless all figures "
        "are the same, bit for bit; `pytest -m slow tests/paper/test_results_remade.py` does so for ablations."
    )
    digests = {key: {r.data["digest"] for r in records} for key, records in results.records.items() if records}
    said = ", ".join(f"{NAMES_BY_RECIPE[key]} {' '.join(sorted(found))}" for key, found in digests.items())
    yield f"SHA-256 of all bits and labels, first 16 digits: {said}."
    seconds = sum(sum(record.history["seconds"]) for record in chain(*results.records.values()))
    seconds += sum(run["fit_seconds"] for run in chain(*results.baselines.values()))
    seconds += sum(sum(run.get("seconds", [])) for run in chain(*results.ablations.values()))
    n_untimed = sum("seconds" not in run for run in chain(*results.ablations.values()))
    yield (
        f"Training took {seconds / 3600:.0f} hours in all, by the clock, without {n_untimed} ablations that have no "
        "times. Many trainings shared their machine with other work and would have been faster alone."
    )
    for entry in results.environments():
        yield describe_environment(**entry)[2:]


def _counted(origins: list[dict[str, Any]], name: str, n_digits: int) -> str:
    """Return the values of an entry, cut to some digits, with the number of results that have each."""
    counts = Counter(value[:n_digits] for origin in origins if (value := origin.get(name)))
    return ", ".join(f"{value} ({n})" for value, n in counts.items()) or "none"


def describe_environment(versions: dict[str, str], machine: dict[str, Any]) -> str:
    """Return a line on a machine and its versions."""
    named = ", ".join(f"{name} {version}" for name, version in versions.items())
    cores = f"{machine['cores']} core{'s' * (machine['cores'] != 1)}"
    return f"- {machine['processor']}, {cores}, {machine['platform']}; {named}"
