"""Where results come from: code, data, machines, and the time that they took."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
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
        f"Revisions of this code, digests of its kernels, and numbers of results: {_revisions(origins)}. The other "
        "results are older than these entries. `requirements-reproduction.txt` has the exact versions."
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
        "times, mostly on machines with other work."
    )
    yield from describe_environments(results.environments())


def _revisions(origins: list[dict[str, Any]]) -> str:
    """Return each revision with the digest of its kernels and the number of results that have both."""
    counts = Counter((o["revision"][:7], o["kernel_digest"][:16]) for o in origins if o.get("revision"))
    return ", ".join(f"{revision} {digest} ({n})" for (revision, digest), n in counts.items()) or "none"


def describe_environments(environments: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield a line for each set of versions of the libraries, with the machines that had it."""
    machines: dict[str, dict[str, None]] = {}
    for environment in environments:
        own, versions = environment["versions"]["wtm"], dict(environment["versions"])
        del versions["wtm"]
        named = ", ".join(f"{name} {version}" for name, version in versions.items())
        machine = dict(environment["machine"])
        machine["processor"] += f" ({machine['llvm_target']})"
        machines.setdefault(named, {})[f"{_describe_machine(machine)}, wtm {own}"] = None
    for named, found in machines.items():
        yield f"With {named}: {'; '.join(found)}."


def _describe_machine(machine: Mapping[str, Any]) -> str:
    cores = f"{machine['cores']} core{'s' * (machine['cores'] != 1)}"
    return f"{machine['processor']}, {cores}, {machine['platform']}"


def describe_environment(versions: dict[str, str], machine: dict[str, Any]) -> str:
    """Return a line on a machine and its versions."""
    named = ", ".join(f"{name} {version}" for name, version in versions.items())
    return f"- {_describe_machine(machine)}; {named}"
